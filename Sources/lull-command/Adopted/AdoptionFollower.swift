import LullChannel
import LullSystem
import LullWire

/// `lull adopt --follow`: adopts each life of something, until a signal ends this.
struct AdoptionFollower {
  /// Finds what runs now, and has it adopted.
  let next: () throws(Failure) -> AdoptedProcess

  /// `cgroup` is that in which it will be, where that is known before it runs. What is `besides` becomes
  /// readable when it may have to be adopted again before its end.
  func run(in cgroup: String?, besides: () -> DescriptorBox? = { nil }) throws(Failure) {
    let wait = try FollowerWait()
    let watch = try explained("cannot watch cgroups", FileWatch())
    if let cgroup { look(at: try AdoptedProcess.path(ofCgroup: cgroup), watch) }
    var retry = RetryPauses()
    while true {
      try? watch.drain()
      do throws(Failure) {
        let link = besides()
        let found = try next()
        if let home = found.home { look(at: home, watch) }
        let ends = [found.pidfd.raw] + (link.map { [$0.raw] } ?? [])
        if try wait(for: ends) == .signal { return }
        retry = RetryPauses()
      } catch {
        guard error.mayPass else { throw error }
        retry.tell(error)
        // A folder of cgroups may change all the time.
        if try wait(milliseconds: RetryPauses.least) == .signal { return }
        switch try wait(for: [watch.raw], milliseconds: retry.next()) {
        case .signal: return
        case .ready: retry.begin()
        case .time: break
        }
      }
    }
  }

  /// The next life has a cgroup of the same name, which is made anew or filled again.
  private func look(at home: String, _ watch: borrowing FileWatch) {
    guard let mount = try? CgroupMount.find() else { return }
    let folder = home.split(separator: "/").dropLast().joined(separator: "/")
    try? watch.add("\(mount)/\(folder)", .names)
    try? watch.add("\(mount)\(home)/cgroup.events", .written)
  }
}

/// What a follower waits for: something of its own, a time, or the signal that ends it.
struct FollowerWait: ~Copyable {
  enum Outcome {
    case signal, ready, time
  }

  private let signals: SignalDescriptor

  init() throws(Failure) {
    let numbers = [Signal.terminate, Signal.interrupt, Signal.hangUp]
    signals = try explained("cannot take signals", SignalDescriptor(blocking: numbers))
  }

  /// -1: for ever.
  func callAsFunction(for others: [Int32] = [], milliseconds: Int32 = -1) throws(Failure) -> Outcome {
    var entries = ([signals.raw] + others).map { PollEntry($0, .readable) }
    let count = try explained(
      "cannot wait", Socket.pollMany(&entries, timeoutMilliseconds: milliseconds))
    return !entries[0].readiness.isEmpty ? .signal : count > 0 ? .ready : .time
  }
}

/// A connection to lulld that says nothing, and becomes readable when lulld has ended.
enum DaemonEndWatch {
  static func open() throws(Failure) -> DescriptorBox {
    do { return DescriptorBox(try UnixSocket.connect(path: RuntimeDirectory.controlSocket())) } catch {
      throw .noDaemon
    }
  }
}

/// The pauses between tries: twice as long each time, half a minute at most.
struct RetryPauses {
  /// In milliseconds.
  static let least: Int32 = 250
  private static let most: Int32 = 30_000, silence: Int32 = 1000

  private var pause = least
  private var told: String?

  mutating func next() -> Int32 {
    defer { pause = min(2 * pause, Self.most) }
    return pause
  }

  mutating func begin() { pause = Self.least }

  /// Tells a failure once, and not what passes within a second, as at each restart.
  mutating func tell(_ failure: Failure) {
    guard pause >= Self.silence, let message = failure.message, message != told else { return }
    told = message
    Output.complain(message)
  }
}

extension Failure {
  /// False for what another try does not mend.
  var mayPass: Bool {
    switch self {
    case .usage, .output, .status, .refused(.badValue, _): false
    default: true
    }
  }
}

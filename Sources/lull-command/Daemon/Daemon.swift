import LullChannel
import LullSystem
import LullWire

enum Daemon {
  /// An installed program that is `wanted` is started for the user then, and not as one of those that are
  /// started at boot. A daemon that does not boot starts none of them: it takes back what runs.
  static func connectStarting(wanted: String? = nil, boots: Bool = true) throws(Failure) -> Connection {
    try DaemonStart(wanted: wanted, boots: boots).connect()
  }

  static func connect(starting start: DaemonStart? = nil) throws(Failure) -> Connection {
    if let start { try start.connect() } else { try connect(for: nil) }
  }

  fileprivate static func connect(for start: DaemonStart?) throws(Failure) -> Connection {
    do throws(RuntimeDirectoryError) { try RuntimeDirectory.check() } catch { throw .failed("\(error)") }
    return try Connection(path: RuntimeDirectory.controlSocket(), start: start)
  }

  static func runs() throws(Failure) -> Bool {
    do throws(Failure) {
      var connection = try connect()
      try connection.greet()
      return true
    } catch .noDaemon, .connectionLost {
      return false
    }
  }

  /// A signal may cut the wait short.
  static func pause() {
    var none: [PollEntry] = []
    _ = try? Socket.pollMany(&none, timeoutMilliseconds: 20)
  }

  // MARK: Requests

  static func open(_ url: String, in name: String?) throws(Failure) -> Message {
    try ask(.open(url: url, name: name), starting: DaemonStart()).ok
  }

  static func push(
    _ push: RemoteNotification, to name: String, isSilent: Bool
  ) throws(Failure) -> Message {
    let request = Request.push(name: name, title: push.title, isSilent: isSilent)
    var connection = try connectStarting()
    guard !push.payload.isEmpty else { return try connection.ask(request).ok }
    let file = try explained(
      "no memory for the payload", DescriptorBox(Files.memoryFile(name: "lull-push", push.payload)))
    return try connection.ask(request, descriptor: file).ok
  }

  static func ask(
    _ request: Request, starting start: DaemonStart? = nil
  ) throws(Failure) -> Connection.Response {
    var connection = try connect(starting: start)
    return try connection.ask(request)
  }
}

struct DaemonStart {
  /// The time in which another process's daemon must accept, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  var wanted: String?
  var boots = true
  var starter = Vocabulary.Starter.use

  /// True where a daemon that was started to boot nothing is to do so now; for the program that is wanted it
  /// does when that is started.
  var asksForBoot: Bool { boots && wanted == nil }

  /// For subcommands that only read, or end programs.
  static let withoutBoot = DaemonStart(boots: false)

  func connect() throws(Failure) -> Connection {
    var wait = DaemonWait()
    // The race: another lull has started its daemon in the same moment, and ours refuses to be the second.
    var refusal: (error: DaemonLaunchError, deadline: Int64)?
    while true {
      do throws(Failure) { return try Daemon.connect(for: self) } catch .noDaemon {
        if let refusal, !refusal.error.mayBeSecond || Clock.boottime() >= refusal.deadline {
          throw .failed("\(refusal.error)")
        }
        guard !wait.isOver else {
          throw .failed("the daemon does not accept within \(DaemonWait.text); see \"lull doctor\"")
        }
        // One that lives is about to end, or to begin; that of a service comes back by itself.
        if refusal == nil, !Leftovers().isWatched, !wait.isForService || !RuntimeLedger.isOfService {
          do throws(DaemonLaunchError) {
            try DaemonLauncher.start(wanted: wanted, boots: boots, as: starter)
          } catch {
            refusal = (error, Clock.boottime() + Self.patience)
            continue
          }
        }
      }
      wait.pause()
    }
  }
}

/// A wait for a daemon that does not accept or answer yet, as one that is started again by its guard, or that
/// takes its programs back. It is told when it takes long.
struct DaemonWait {
  /// The longest wait, and the time after which it is told, in nanoseconds. A guard looks after a daemon
  /// that was stopped within a second.
  static let bound: Int64 = 10_000_000_000, silence: Int64 = 1_500_000_000
  private static let serviceRestart: Int64 = 2_000_000_000

  private let begunAt = Clock.boottime()
  private var steps = Steps(until: .max, telling: words)
  private var step: Int64

  init() { step = steps.next() ?? .max }

  /// True for as long as a service manager may take to start its service again.
  var isForService: Bool { Clock.boottime() - begunAt < Self.serviceRestart }
  var isOver: Bool { Clock.boottime() - begunAt >= Self.bound }

  mutating func pause() {
    if Clock.boottime() >= step { step = steps.next() ?? .max }
    Daemon.pause()
  }

  static var words: String { "the daemon does not answer yet; waiting \(text) at most" }
  static var text: String { DurationText.text(seconds: Double(bound) / 1e9) }

  /// The moments up to which a wait for the daemon goes on. After each in vain, a daemon that was stopped
  /// with its guard is continued, which nobody else does; otherwise the wait is told, once.
  struct Steps: Sequence, IteratorProtocol {
    private let deadline: Int64
    private var words: String?
    private var step: Int64?

    init(until deadline: Int64, telling words: String? = nil) {
      (self.deadline, self.words) = (deadline, words)
    }

    mutating func next() -> Int64? {
      if let step {
        guard step < deadline else { return nil }
        if !Leftover.continueDaemon(), let words { Output.complain(words) }
        words = nil
      }
      step = Swift.min(deadline, Clock.boottime() + DaemonWait.silence)
      return step
    }
  }
}

/// Programs that a daemon left asleep when it was killed together with its guard, as `lull` finds them.
enum Leftover {
  static func releaseAtStart() {
    guard (try? RuntimeDirectory.check()) != nil else { return }
    tell(Leftovers().releaseIfOrphaned())
  }

  static func tell(_ released: Leftovers.Released?) {
    guard let released, !released.isEmpty else { return }
    Output.complain(released.text)
  }

  /// Continues a daemon that does not answer because it, its guard or whoever thaws what they have left was
  /// stopped; false when none was. No program is unfrozen: the continued daemon supervises them again.
  @discardableResult
  static func continueDaemon() -> Bool {
    let continued = Leftovers().continueWatchers()
    guard !continued.isEmpty else { return false }
    let numbers = continued.map { "\($0)" }.joined(separator: " and ")
    let words = continued.count == 1 ? ("process", "was") : ("processes", "were")
    Output.complain(
      "the daemon did not answer; \(words.0) \(numbers) of Lull \(words.1) stopped, and \(words.1) continued")
    return true
  }
}

/// The ledger of the daemon that runs, or of the last one of this boot.
enum RuntimeLedger {
  /// True when a service manager has started the last daemon, and may be about to start the next one.
  static var isOfService: Bool {
    let content = (try? LedgerFile.read(LedgerFile.path())) ?? nil
    for case .began(_, let isService, _) in content?.records.reversed() ?? [] { return isService }
    return false
  }

  /// True when programs may run on since a daemon that runs no more.
  static var namesPrograms: Bool {
    guard let content = (try? LedgerFile.read(LedgerFile.path())) ?? nil, content.isOfThisBoot else {
      return false
    }
    var names: Set<String> = []
    for record in content.records {
      switch record {
      case .program(let program): names.insert(program.name)
      case .ended(let end): names.remove(end.name)
      default: break
      }
    }
    return !names.isEmpty
  }
}

struct StatusQuestion {
  /// The time for which an end is told where no program runs, in seconds.
  private static let recently = 600.0

  var name: String?
  var all = false

  func lastEnd(_ report: StatusReport) -> EndedItem? {
    name != nil && report.programs.isEmpty ? report.ended?.first : nil
  }

  /// For the name of a program that has ended, the report has no programs, but its ends; where no program
  /// runs, it has those that have just ended.
  func ask(_ connection: inout Connection) throws(Failure) -> StatusReport {
    var items: [Message]
    do throws(Failure) {
      items = try connection.ask(.status(name: name, all: all)).items
    } catch .refused(.noSuchProgram, _) where name != nil && !all {
      items = try connection.ask(.status(name: name, all: true)).items
    }
    let isEmpty = name == nil && !all && !items.contains { $0.itemKind == .program }
    if isEmpty {
      items += try connection.ask(.status(name: nil, all: true)).items.filter { $0.itemKind == .ended }
    }
    var report = try readable(StatusReport(items))
    let ended = try readable(items.records(EndedItem.self))
    if all || report.programs.isEmpty { report.ended = isEmpty ? Self.recent(ended) : ended }
    return report
  }

  private static func recent(_ ended: [EndedItem]) -> [EndedItem] {
    let since = Double(Clock.realtime()) / 1e9 - recently
    var names: Set<String> = []
    return ended.filter { $0.at >= since && names.insert($0.name).inserted }
  }
}

import LullSystem
import LullWire

/// `lull adopt --pods`: adopts the containers whose annotations say so, as they come, until a signal ends
/// this. lulld sees itself that they end.
struct PodFollower {
  /// The time between two looks where there are no events, in milliseconds.
  private static let pause: Int32 = 10_000
  /// The time after which a runtime is taken to answer, in nanoseconds.
  private static let steady: Int64 = 10_000_000_000

  private let runtime: any ContainerRuntime
  private let selector: [String]
  /// The containers that need no further look, by their id: those that were adopted with their process.
  private var known: [String: DescriptorBox?] = [:]
  /// What was told of a container that is to be tried again.
  private var told: [String: String] = [:]

  static func run(runtime given: String?, selector: [String]) throws(Failure) {
    for text in selector where !text.dropFirst().contains("=") {
      throw .usage("--selector \(text): must be KEY=VALUE, such as tier=front")
    }
    let programs = if let given { [given] } else { try OtherProgram.installed(of: ContainerRuntimes.usual) }
    if programs.count > 1 {
      let others = programs.dropFirst().joined(separator: ", ")
      Output.complain("\(programs[0]) is followed, and not \(others): --runtime names another")
    }
    var follower = PodFollower(runtime: try ContainerRuntimes.runtime(programs[0]), selector: selector)
    try follower.run()
  }

  init(runtime: any ContainerRuntime, selector: [String]) {
    (self.runtime, self.selector) = (runtime, selector)
  }

  private mutating func run() throws(Failure) {
    let wait = try FollowerWait()
    var retry = RetryPauses()
    while true {
      do throws(Failure) {
        // What another lulld had adopted may be let go: all is looked at again.
        let daemon = try DaemonEndWatch.open()
        known = [:]
        let begunAt = Clock.boottime()
        var last = ""
        // The race: a container starts while the command does. It is among the events since this moment.
        let events = try EventLines(of: runtime.events(since: Clock.realtime() / 1_000_000_000))
        defer { events.end() }
        var again = RetryPauses()
        while true {
          let isComplete = try look()
          if isComplete { again = RetryPauses() }
          let pause = events.raw.isEmpty ? Self.pause : -1
          let outcome = try wait(
            for: events.raw + [daemon.raw], milliseconds: isComplete ? pause : again.next())
          if outcome == .signal { return }
          guard try wait(for: [daemon.raw], milliseconds: 0) != .ready else { throw .noDaemon }
          try events.take(&last)
          if Clock.boottime() - begunAt > Self.steady { retry = RetryPauses() }
        }
      } catch {
        guard error.mayPass else { throw error }
        retry.tell(error)
        if try wait(milliseconds: retry.next()) == .signal { return }
      }
    }
  }

  /// False when something is to be tried again.
  private mutating func look() throws(Failure) -> Bool {
    // One that was started again has the same id.
    known = known.filter { _, process in process.map { !Process.hasEnded($0.raw) } ?? true }
    let (running, new) = try runtime.look(known: Set(known.keys))
    known = known.filter { running.contains($0.key) }
    told = told.filter { running.contains($0.key) }
    var isComplete = true
    for container in new {
      do throws(Failure) {
        known.updateValue(try adopt(container), forKey: container.id)
      } catch {
        if case .output = error { throw error }
        if let message = error.message, told.updateValue(message, forKey: container.id) != message {
          Output.complain("\(container.origin): \(message)")
        }
        if error.mayPass { isComplete = false } else { known.updateValue(nil, forKey: container.id) }
      }
    }
    return isComplete
  }

  /// Nil for one that is not meant.
  private func adopt(_ container: RunningContainer) throws(Failure) -> DescriptorBox? {
    guard selector.allSatisfy(container.has),
      let settings = try LullAnnotations.settings(in: container.annotations)
    else { return nil }
    let pid = try Int32(clamping: runtime.pid(of: container))
    guard pid > 0 else { throw .failed("no process of it is told") }
    let found = try AdoptedProcess(
      .container, pid, origin: container.origin, name: container.programName ?? "")
    // A lulld that was started here would stand in the way of the node's.
    if let line = try found.adoptOnce(settings, as: nil, startsDaemon: false) { try Output.say(line) }
    return found.pidfd
  }
}

extension RunningContainer {
  /// `KEY=VALUE`.
  func has(_ selected: String) -> Bool { annotations.contains { "\($0)=\($1)" == selected } }

  /// The end of a long one: a namespace tells less than a container.
  var programName: String? {
    let text = origin.split(separator: "/").joined(separator: ".")
    return ProgramName.derived(fromPath: String(text.suffix(Limits.maximumName)))
  }
}

/// The lines of a command, of which only the coming counts: whoever reads them looks anew.
private struct EventLines: ~Copyable {
  private let words: [String]
  private let running: (output: DescriptorBox, process: DescriptorBox)?

  /// Nil: none come.
  init(of words: [String]?) throws(Failure) {
    self.words = words ?? []
    do throws(SystemError) { running = try words.map(Self.start) } catch {
      throw .failed("\(self.words[0]): \(error.message)")
    }
  }

  private static func start(
    _ words: [String]
  ) throws(SystemError) -> (output: DescriptorBox, process: DescriptorBox) {
    let (own, other) = try Pipe.open()
    var request = SpawnRequest(words)
    (request.standardOutput, request.standardError) = (other.raw, other.raw)
    // Killed with SIGKILL, this leaves no command behind that waits for the next event.
    request.parentDeathSignal = Signal.terminate
    let child = try Process.spawn(request)
    other.close()
    try Descriptor.stopBlocking(own.raw)
    return (own, DescriptorBox(child.pidfd))
  }

  var raw: [Int32] { running.map { [$0.output.raw] } ?? [] }

  /// Throws when the command has ended, with the last line.
  func take(_ last: inout String) throws(Failure) {
    guard let running else { return }
    var buffer = ReceiveBuffer(capacity: 4096)
    while true {
      switch try explained(words[0], StandardStreams.read(running.output.raw, into: &buffer)) {
      case .bytes: last = String(decoding: buffer.received, as: UTF8.self)
      case .wouldBlock: return
      case .endOfStream:
        throw .failed("\(words[0]) \(words[1]): \(OtherProgram.lastLine(last) ?? "has ended")")
      }
    }
  }

  func end() {
    guard let process = running?.process.raw else { return }
    try? Process.sendSignal(process, Signal.terminate)
    _ = try? Socket.poll(process, .readable, timeoutMilliseconds: 1000)
    _ = try? Process.waitStatus(process)
  }
}

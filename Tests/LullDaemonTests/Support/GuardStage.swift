import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// lulld's owner of lull-guard over real sockets; the test plays the guards, whose processes are `sleep`s.
final class GuardStage {
  private final class Started {
    var links: [MessageChannel] = []
    var ends: [MessageChannel] = []
    var processes: [HelperProcess] = []
    var failure: SystemError?

    func launch() throws(SystemError) -> GuardProcess {
      if let failure { throw failure }
      let (own, other) = try UnixSocket.pair()
      var request = SpawnRequest(["sleep", "1000"])
      request.group = .newSession
      let (process, execStatus) = try HelperProcess.spawn(request)
      // The child holds the other end as well until it has become the program.
      _ = try Socket.poll(execStatus.raw, .readable, timeoutMilliseconds: patience)
      let link = MessageChannel(guardLink: own)
      links.append(link)
      ends.append(MessageChannel(guardLink: other))
      processes.append(process)
      return GuardProcess(
        link: link, process: process, since: Clock.boottime(), execStatus: execStatus)
    }
  }

  let supervisor: GuardSupervisor
  let journal = Journal()
  private let started = Started()
  private var buffer = ReceiveBuffer(capacity: 1 << 16)

  /// The first guard was there before lulld; the test sends its messages.
  init(_ policy: SupervisionPolicy = SupervisionPolicy()) throws {
    let started = started
    var first = try started.launch()
    first.execStatus = nil
    supervisor = GuardSupervisor(first, policy: policy, journal: journal, reactor: try DaemonReactor()) {
      _ throws(SystemError) in try started.launch()
    }
    try supervisor.watchFirst()
  }

  /// The number of guards so far; they are counted from 0 on.
  var launches: Int { started.processes.count }

  private var last: Int { launches - 1 }

  /// A guard's end of its link; without a number that of the last one.
  func end(_ number: Int? = nil) -> MessageChannel { started.ends[number ?? last] }

  func process(_ number: Int? = nil) -> HelperProcess { started.processes[number ?? last] }

  /// Lets every later start of a guard fail.
  func fail() { started.failure = .timedOut("clone3") }

  /// Sends a message as a guard; returns the outcomes.
  func say(
    _ message: Message, _ descriptor: DescriptorBox? = nil, as number: Int? = nil
  ) throws -> [GuardOutcome] {
    end(number).tell(message, descriptor: descriptor)
    return try news(of: number)
  }

  /// The outcomes of what the supervisor reads now.
  private func news(of number: Int?) throws -> [GuardOutcome] {
    try ready(started.links[number ?? last].socket.raw, .readable, "nothing came of the guard")
    var all: [GuardOutcome] = []
    supervisor.receiveOfOther(into: &buffer)
    while let outcomes = supervisor.nextOfOther() { all += outcomes }
    supervisor.receive(into: &buffer)
    while let outcomes = supervisor.next() { all += outcomes }
    return all
  }

  /// The next message to a guard.
  func told(_ number: Int? = nil) throws -> Message {
    let end = end(number)
    while true {
      if let (message, _) = end.nextMessage() { return message }
      try ready(end.socket.raw, .readable, "the guard was told nothing")
      if case .ended = end.receive(into: &buffer) { try #require(Bool(false), "the link ended") }
    }
  }

  /// True when a guard has been told something that it has not read.
  func isTold(_ number: Int) throws -> Bool {
    try !Socket.poll(end(number).socket.raw, .readable, timeoutMilliseconds: 0).isEmpty
  }

  /// Kills a guard; returns the outcomes.
  func die(_ number: Int? = nil) throws -> [GuardOutcome] {
    try process(number).send(Signal.kill)
    // A process that another test has just cloned holds the end until it has become its program.
    end(number).close()
    return try news(of: number)
  }

  deinit {
    for process in started.processes {
      try? process.send(Signal.kill)
      _ = try? Socket.poll(process.pidfd.raw, .readable, timeoutMilliseconds: patience)
      _ = try? process.reap()
    }
  }
}

extension GuardOutcome {
  /// The outcome in a few words.
  var text: String {
    switch self {
    case .keepLine(let line, _): "keep line \(line.id.number)"
    case .wakeSleepers: "wake sleepers"
    case .storeAll: "store all"
    case .launch: "launch"
    case .launched: "launched"
    case .replaced: "replaced"
    case .unchanged: "unchanged"
    case .sound: "sound"
    }
  }
}

import LullChannel
import LullEngine
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

    func launch() throws(SystemError) -> GuardProcess.Candidate {
      if let failure { throw failure }
      let (own, other) = try UnixSocket.pair()
      let (process, execStatus) = try HelperProcess.spawn(SpawnRequest(["sleep", "1000"]))
      // The child holds the other end as well until it has become the program.
      _ = try Socket.poll(execStatus.raw, .readable, timeoutMilliseconds: patience)
      let link = MessageChannel(guardLink: own)
      links.append(link)
      ends.append(MessageChannel(guardLink: other))
      processes.append(process)
      return GuardProcess.Candidate(
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
      (_: Int32, _: GuardProcess.Program) throws(SystemError) in
      try started.launch()
    }
    try supervisor.watchFirst()
  }

  /// The guard's end of the last link.
  var end: MessageChannel { started.ends[started.ends.count - 1] }

  var process: HelperProcess { started.processes[started.processes.count - 1] }

  var launches: Int { started.processes.count }

  /// Lets every later start of a guard fail.
  func fail() { started.failure = .timedOut("clone3") }

  /// Sends a message as the guard; returns the outcomes.
  func say(_ message: Message, _ descriptor: DescriptorBox? = nil) throws -> [GuardOutcome] {
    end.tell(message, descriptor: descriptor)
    return try news()
  }

  /// The outcomes of what the supervisor reads now.
  private func news() throws -> [GuardOutcome] {
    let link = started.links[started.links.count - 1]
    try ready(link.socket.raw, .readable, "nothing came of the guard")
    supervisor.receive(into: &buffer)
    var all: [GuardOutcome] = []
    while let outcomes = supervisor.next() { all += outcomes }
    return all
  }

  /// The next message to the guard.
  func told() throws -> Message {
    while true {
      if let (message, _) = end.nextMessage() { return message }
      try ready(end.socket.raw, .readable, "the guard was told nothing")
      let arrival = end.receive(into: &buffer)
      if case .ended = arrival { try #require(Bool(false), "the link ended") }
    }
  }

  /// Becomes the guard of an upgrade, as it was told to; returns the outcomes of the end of the old link, and
  /// of the first word on the new one.
  func become() throws -> (end: [GuardOutcome], beginning: [GuardOutcome]) {
    try ready(end.socket.raw, .readable, "the guard was told nothing")
    _ = end.receive(into: &buffer)
    let (message, descriptor) = try #require(end.nextMessage())
    #expect(message.verb == GuardVerb.become.rawValue)
    let link = MessageChannel(guardLink: try #require(descriptor))
    end.close()
    let ended = try news()
    started.ends.append(link)
    link.tell(Message(.begin))
    supervisor.receive(into: &buffer)
    var beginning: [GuardOutcome] = []
    while let outcomes = supervisor.next() { beginning += outcomes }
    return (ended, beginning)
  }

  /// Kills the guard; returns the outcomes.
  func die() throws -> [GuardOutcome] {
    try process.send(Signal.kill)
    // A process that another test has just cloned holds the end until it has become its program.
    end.close()
    return try news()
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
    case .restore(let program): "restore \(program.name)"
    case .keep(let notification): "keep \(notification.id.number)"
    case .keepLine(let line, _): "keep line \(line.id.number)"
    case .remember(let program): "remember \(program.name)"
    case .full(let name): "full \(name)"
    case .store(let name): "store \(name)"
    case .wakeSleepers: "wake sleepers"
    case .storeAll: "store all"
    case .launch: "launch"
    case .launched: "launched"
    case .replaced: "replaced"
    case .unchanged(let reason): "unchanged \(reason)"
    case .endedAsReplacement: "ended as replacement"
    case .sound: "sound"
    case .release: "release"
    }
  }
}

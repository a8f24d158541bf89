import Glibc
import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The daemon's owner of sound over real sockets; the test plays lull-audio, whose process is a `sleep`.
final class AudioStage {
  /// The processes, the ends of the test, and the number of starts.
  private final class Started {
    var ends: [DescriptorBox] = []
    var processes: [HelperProcess] = []
    var launches = 0

    func spawn() throws(SystemError) -> HelperProcess {
      let (process, execStatus) = try HelperProcess.spawn(SpawnRequest(["sleep", "1000"]))
      // The child holds the other end as well until it has become the program.
      _ = try Socket.poll(execStatus.raw, .readable, timeoutMilliseconds: patience)
      processes.append(process)
      return process
    }
  }

  let supervisor: AudioSupervisor
  let journal = Journal()
  private let started = Started()
  private var reader = LineReader()
  private var buffer = ReceiveBuffer(capacity: 1 << 16)

  init(_ policy: SupervisionPolicy = SupervisionPolicy()) throws {
    let started = started
    let launch = { () throws(SystemError) -> AudioLink in
      let (own, other) = try UnixSocket.pair()
      let process = try started.spawn()
      let (memory, _) = try SharedMemory.create(name: "statusPage", count: AudioStatusPage.bytes)
      let link = AudioLink(
        own, process: process, statusPage: AudioStatusPage(memory), longestWait: policy.audioHang.nanoseconds)
      started.ends.append(other)
      started.launches += 1
      return link
    }
    supervisor = AudioSupervisor(
      EngineClock(rate: 1, base: 0), policy: policy, journal: journal, reactor: try DaemonReactor(),
      launch: launch)
  }

  /// The number of starts.
  var launches: Int { started.launches }

  /// The process of the last start.
  var process: HelperProcess? { started.processes.last }

  /// Hands over a lull-audio of the lulld before; `hasEnded`: it has ended meanwhile.
  func inherit(hasEnded: Bool = false) throws {
    let (own, other) = try UnixSocket.pair()
    let process = try started.spawn()
    if hasEnded {
      // A child of another test may have a copy, until it runs its program.
      #expect(shutdown(other.raw, Int32(SHUT_RDWR)) == 0)
      other.close()
    } else {
      started.ends.append(other)
    }
    supervisor.inherit(own, pid: process.pid)
  }

  /// Opens a session of the program in a slot.
  func open(_ number: UInt32, slot: UInt32 = 0) throws {
    try supervisor.start()
    _ = supervisor.open(try session(number, slot: slot))
  }

  func session(_ number: UInt32, slot: UInt32 = 0) throws -> AudioSession {
    let (ring, doorbell) = try UnixSocket.pair()
    let fields = Request.Session(
      category: .playback, direction: .play, rate: 48_000, channels: 2, format: .s16, frames: 4096)
    return AudioSession(
      id: SessionID(number), app: Self.app(slot), name: "p", client: Slot(index: slot, generation: 0),
      fields: fields, silence: nil, order: .play, ring: ring, doorbell: doorbell, inode: nil)
  }

  static func app(_ slot: UInt32) -> AppID { AppID(slot: slot, generation: 0) }

  /// The messages to lull-audio, up to the first `verb`.
  func told(to verb: String) throws -> [Message] {
    let end = try #require(started.ends.last)
    var messages: [Message] = []
    while messages.last?.verb != verb {
      while messages.last?.verb != verb, let line = reader.next() {
        if case .message(let message) = line.content { messages.append(message) }
      }
      guard messages.last?.verb != verb else { break }
      try ready(end.raw, .readable, "lull-audio was told no \(verb)")
      guard case .bytes = try UnixSocket.receive(into: &buffer, from: end.raw) else { break }
      reader.append(buffer.received)
    }
    return messages
  }

  /// Sends a message as lull-audio; returns the outcomes.
  func say(_ text: String) throws -> [AudioOutcome] {
    let bytes = Array((text + "\n").utf8)
    let end = try #require(started.ends.last)
    #expect(try UnixSocket.send(bytes, to: end.raw) == .sent(bytes.count))
    let isThere = supervisor.receive(&buffer)
    #expect(isThere)
    var all: [AudioOutcome] = []
    while let outcomes = supervisor.next() { all += outcomes }
    return all
  }

  /// Ends lull-audio; returns the outcomes.
  func die() throws -> [AudioOutcome] {
    try process?.send(Signal.kill)
    started.ends.last?.close()
    // Until its exec, a child that another test starts at this moment holds the socket too.
    try eventually("the end of lull-audio is not seen") { !supervisor.receive(&buffer) }
    return supervisor.ended()
  }

  deinit {
    for process in started.processes {
      try? process.send(Signal.kill)
      _ = try? Socket.poll(process.pidfd.raw, .readable, timeoutMilliseconds: patience)
      _ = try? process.reap()
    }
  }
}

extension AudioOutcome {
  /// The outcome in a few words.
  var text: String {
    switch self {
    case .event(.sound(_, let session, let report)): "\(session.number) \(report)"
    case .event(.audibility(let app, let scope, .sounding)): "\(app.slot) sounding \(scope)"
    case .event(.routeChanged): "routeChanged"
    case .event: "event"
    case .notice(let notice, let client): "notice \(notice.message.notice?.rawValue ?? "") to \(client.index)"
    case .playsOn(_, let session): "\(session.number) plays on"
    case .straight(let app, let isMeasured): "\(app.slot) is \(isMeasured ? "" : "not ")measured"
    case .end(_, let session): "\(session.number) is over"
    case .silenced: "silenced"
    case .healthNote(_, let note): "health-note \(note?.cause ?? "none")"
    case .note(_, let what, _, _): "note \(what)"
    }
  }
}

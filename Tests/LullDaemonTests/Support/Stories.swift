import LullSystem
import LullWire
import TestSupport
import Testing

extension Peer {
  /// Waits for a delegate message and answers that the delegate returned.
  @discardableResult
  func returned(_ message: String) throws -> Message {
    let notice = try laterNotice(.deliver)
    #expect(notice[.message] == message)
    #expect(try ask("did ticket=\(notice.string(.ticket))").isOK)
    return notice
  }

  /// Registers and answers the messages of a launch into the foreground.
  func launch(_ name: String, _ fields: String = "") throws {
    #expect(try ask("register name=\(name) modes=voip \(fields)").isOK)
    for message in ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"] { try returned(message) }
  }

  /// Goes to the background; the daemon freezes it then.
  func goToBackground() throws {
    #expect(try ask("background").isOK)
    try returned("willResignActive")
    // The reply to the last `did` may lie in the socket of a process that is frozen already.
    let notice = try laterNotice(.deliver)
    #expect(notice[.message] == "didEnterBackground")
    try say("did ticket=\(notice.string(.ticket))\n")
  }

  /// Hands over the words of a command for the next `run`.
  func stage(_ arguments: [String]) throws {
    var bytes: [UInt8] = []
    for string in arguments { bytes += Array(string.utf8) + [0] }
    let file = try Files.memoryFile(name: "command", bytes)
    #expect(try ask("command arguments=\(arguments.count)", descriptor: file.raw).isOK)
  }

  /// Runs a command as a child of the test, with an empty input; returns the reply to `started`, or the
  /// refusal of `run`.
  @discardableResult
  func run(_ arguments: [String], _ fields: String = "", output: Int32? = nil) throws -> Response {
    try stage(arguments)
    let place = try ask("run \(fields)")
    guard place.isOK else { return place }
    return try start(arguments, in: place, output: output)
  }

  /// Starts a command in the cgroup that the reply to its `run` brought, and hands it over.
  func start(_ arguments: [String], in place: Response, output: Int32? = nil) throws -> Response {
    let null = try Files.openNull()
    var request = SpawnRequest(arguments)
    request.cgroup = place.descriptor?.raw
    request.standardInput = null.raw
    request.standardOutput = output ?? null.raw
    request.standardError = output ?? null.raw
    request.isGated = true
    request.group = .newSession
    var child = try Process.spawn(request)
    let answer = try started(child.pidfd)
    if answer.isOK, let gate = child.gate.take() { try Process.openGate(gate) }
    // The race: a child of another test may hold the other end of this gate, and never see it close itself.
    if !answer.isOK { try Process.sendSignal(child.pidfd.raw, Signal.kill) }
    return answer
  }

  /// Hands a child over, and reaps it as soon as it has ended.
  func started(_ pidfd: borrowing Descriptor) throws -> Response {
    try reapAtEnd(pidfd.raw)
    return try ask("started", descriptor: pidfd.raw)
  }

  /// Waits until the daemon knows a program's state, which the kernel knows already.
  func waitState(_ name: String, _ state: String) throws {
    try eventually("\(name) did not become \(state)") {
      try ask("status name=\(name)").items(.program).first?[.state] == state
    }
  }

  /// Replies in the order in which they come.
  func responses(_ count: Int) throws -> [Response] {
    var all: [Response] = []
    for _ in 0..<count { all.append(try response()) }
    return all
  }
}

/// The text lines that a command writes.
final class Lines {
  private let raw: Int32
  private var buffer = ReceiveBuffer(capacity: 4096)
  private var splitter = TextLineSplitter()
  private var all: [UInt8] = []

  init(of raw: Int32) { self.raw = raw }

  /// Reads until a text line equals `wanted`.
  func read(_ wanted: String) throws { try read("\(wanted)") { $0.elementsEqual(wanted.utf8) } }

  /// Reads until a text line is as wanted.
  func read(_ name: Comment = "the line", _ isWanted: ([UInt8]) -> Bool) throws {
    while true {
      while let line = splitter.next() {
        if case .line(let bytes) = line, isWanted(Array(bytes)) { return }
      }
      try ready(raw, .readable, "did not come: \(name)")
      guard case .bytes = try Socket.read(raw, into: &buffer) else { break }
      all += buffer.received
      splitter.append(buffer.received)
    }
    Issue.record("the stream ended before \(name); all of it: \(String(decoding: all, as: UTF8.self))")
  }
}

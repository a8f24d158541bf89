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

  /// Hands over a command for the next `run`: `arguments`, an environment with a PATH, and standard streams.
  func stage(_ arguments: [String], output: Int32? = nil) throws {
    let strings = arguments + ["PATH=/usr/bin:/bin"]
    var bytes: [UInt8] = []
    for string in strings { bytes += Array(string.utf8) + [0] }
    let file = try Files.memoryFile(name: "command", bytes)
    #expect(try ask("command arguments=\(arguments.count)", descriptor: file.raw).isOK)
    let null = try Files.openNull()
    for number in 0...2 {
      let raw = number == 0 ? null.raw : output ?? null.raw
      #expect(try ask("stdio number=\(number)", descriptor: raw).isOK)
    }
  }

  /// Runs a command; returns the reply.
  @discardableResult
  func run(_ arguments: [String], _ fields: String = "", output: Int32? = nil) throws -> Response {
    try stage(arguments, output: output)
    return try ask("run \(fields)")
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
      splitter.append(buffer.received)
    }
    Issue.record("the stream ended before \(name)")
  }
}

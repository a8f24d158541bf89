import LullSystem
import Testing

/// A process whose output the test reads.
final class Program {
  let pid: Int32
  private let pidfd: DescriptorBox
  /// The test's end of its input and output.
  private let channel: DescriptorBox
  private let errorChannel: DescriptorBox
  private var text = ""
  private var ended: LullSystem.ExitStatus?

  /// Longer than anything that a test plays.
  private static let bound: Int32 = 30_000

  init(_ arguments: [String], environment: [String] = []) throws {
    let (ours, theirs) = try UnixSocket.pair()
    let (errors, theirErrors) = try UnixSocket.pair()
    var request = SpawnRequest(arguments)
    request.environment += environment.map { Array($0.utf8) }
    request.standardInput = theirs.raw
    request.standardOutput = theirs.raw
    request.standardError = theirErrors.raw
    var child = try Process.spawn(request)
    pid = child.pid
    pidfd = DescriptorBox(try child.pidfd.duplicate())
    (channel, errorChannel) = (ours, errors)
    try Program.awaitStart(&child)
  }

  deinit { end() }

  private static func awaitStart(_ child: inout Spawned) throws {
    _ = try Socket.poll(child.execStatus.raw, .readable, timeoutMilliseconds: bound)
    try #require(try Process.execResult(child.execStatus.raw) == .started)
  }

  /// The path of an executable of this package.
  static func built(_ name: String) -> String {
    let own = (try? Process.executablePath()) ?? ""
    return own[..<(own.lastIndex(of: "/") ?? own.endIndex)] + "/" + name
  }

  /// Waits for its end.
  func status() throws -> LullSystem.ExitStatus {
    if let ended { return ended }
    let ready = try Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: Self.bound)
    try #require(!ready.isEmpty, "it did not end")
    let status = try #require(try Process.waitStatus(pidfd.raw))
    ended = status
    return status
  }

  /// Expects it to end well.
  func expectSuccess() throws {
    let (status, errors) = (try status(), try errors())
    #expect(status == .exited(0), "\(errors)")
  }

  /// What it wrote to standard error; to be asked after its end.
  func errors() throws -> String {
    var buffer = ReceiveBuffer(capacity: 65_536)
    guard case .bytes = try Socket.read(errorChannel.raw, into: &buffer) else { return "" }
    return String(decoding: buffer.received, as: UTF8.self)
  }

  /// Reads its output until a line begins with these words, and returns the line.
  @discardableResult
  func awaitLine(_ start: String) throws -> String {
    var buffer = ReceiveBuffer(capacity: 65_536)
    while true {
      while let end = text.firstIndex(of: "\n") {
        let line = String(text[..<end])
        text.removeSubrange(...end)
        if line.hasPrefix(start) { return line }
      }
      let ready = try Socket.poll(channel.raw, .readable, timeoutMilliseconds: Self.bound)
      try #require(!ready.isEmpty, "no line \(start)")
      guard case .bytes = try Socket.read(channel.raw, into: &buffer) else {
        throw Ended(program: try errors())
      }
      text += String(decoding: buffer.received, as: UTF8.self)
    }
  }

  /// Writes a line to its input.
  func say(_ line: String) throws {
    let bytes = Array((line + "\n").utf8)
    #expect(try Socket.write(channel.raw, bytes) == .sent(bytes.count))
  }

  func send(_ signal: Int32) throws { try Process.sendSignal(pidfd.raw, signal) }

  /// The clock ticks of processor time that it has used.
  func processorTicks() throws -> Int {
    let stat = String(decoding: try Files.read("/proc/\(pid)/stat", limit: 4096), as: UTF8.self)
    let fields = try stat[#require(stat.lastIndex(of: ")"))...].split(separator: " ")
    return try #require(Int(fields[12])) + #require(Int(fields[13]))
  }

  func end() {
    guard ended == nil else { return }
    // Whoever was stopped ends when it goes on.
    try? Process.sendSignal(pidfd.raw, Signal.terminate)
    try? Process.sendSignal(pidfd.raw, Signal.continue)
    _ = try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: Self.bound)
    ended = (try? Process.waitStatus(pidfd.raw)) ?? nil
  }

  struct Ended: Error { let program: String }
}

/// Asks again until the answer is yes, at most 20 s: for a file that grows.
func eventually(_ comment: Comment, _ condition: () throws -> Bool) throws {
  let end = Clock.boottime() + 20_000_000_000
  var nobody: [PollEntry] = []
  while try !condition() {
    try #require(Clock.boottime() < end, comment)
    try Socket.pollMany(&nobody, timeoutMilliseconds: 10)
  }
}

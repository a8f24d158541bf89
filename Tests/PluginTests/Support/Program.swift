import LullSystem
import Testing

/// A process whose output the test reads.
final class Program {
  let pid: Int32
  private let pidfd: DescriptorBox
  /// The test's end of the program's input and output.
  private let channel: DescriptorBox
  private let errorChannel: DescriptorBox
  private var text = ""
  private var ended: ExitStatus?

  /// The bound of a wait, longer than anything that a test plays.
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

  /// Waits for the end of the program.
  func status() throws -> ExitStatus {
    if let ended { return ended }
    let ready = try Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: Self.bound)
    try #require(!ready.isEmpty, "it did not end")
    let status = try #require(try Process.waitStatus(pidfd.raw))
    ended = status
    return status
  }

  /// Expects the program to end with status 0.
  func expectSuccess() throws {
    let (status, errors) = (try status(), try errors())
    #expect(status == .exited(0), "\(errors)")
  }

  /// The text on standard error; to be read after the end of the program.
  func errors() throws -> String {
    var buffer = ReceiveBuffer(capacity: 65_536)
    guard case .bytes = try Socket.read(errorChannel.raw, into: &buffer) else { return "" }
    return String(decoding: buffer.received, as: UTF8.self)
  }

  /// Reads the output until a text line begins with these words, and returns that line.
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

  /// Writes a text line to the program's input.
  func say(_ line: String) throws {
    let bytes = Array((line + "\n").utf8)
    #expect(try Socket.write(channel.raw, bytes) == .sent(bytes.count))
  }

  func send(_ signal: Int32) throws { try Process.sendSignal(pidfd.raw, signal) }

  /// The clock ticks of processor time that the program has used.
  func processorTicks() throws -> Int {
    let stat = String(decoding: try Files.read("/proc/\(pid)/stat", limit: 4096), as: UTF8.self)
    let fields = try stat[#require(stat.lastIndex(of: ")"))...].split(separator: " ")
    return try #require(Int(fields[12])) + #require(Int(fields[13]))
  }

  func end() {
    guard ended == nil else { return }
    // A stopped program ends when it is continued.
    try? Process.sendSignal(pidfd.raw, Signal.terminate)
    try? Process.sendSignal(pidfd.raw, Signal.continue)
    _ = try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: Self.bound)
    ended = (try? Process.waitStatus(pidfd.raw)) ?? nil
  }

  struct Ended: Error { let program: String }
}

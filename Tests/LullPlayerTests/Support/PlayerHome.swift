import LullSystem
import Testing

@testable import LullPlayer
@testable import lull_player

/// Where a player of the test's own runs: its daemon, its directories, its bus.
final class PlayerHome {
  struct Result {
    var status: Int32
    var output: String
    var errors: String
  }

  let scratch: Scratch
  let lulld: FakeLulld
  private var bus: DescriptorBox?
  private var variables: [String: String]

  init(withBus: Bool = false) throws {
    scratch = try Scratch()
    try Files.ensureRuntimeDirectory(scratch.path + "/run")
    lulld = try FakeLulld(directory: scratch.path + "/run")
    variables = [
      "LULL_RUNTIME_DIR": scratch.path + "/run", "XDG_STATE_HOME": scratch.path + "/state",
      "XDG_CACHE_HOME": scratch.path + "/cache",
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(scratch.path)/bus", "LULL_GUARD": "/bin/false",
    ]
    if withBus { bus = try startBus() }
  }

  deinit {
    _ = try? player("quit")
    if let bus { try? Process.sendSignal(bus.raw, Signal.kill) }
  }

  /// Runs the program to its end.
  @discardableResult
  func player(_ arguments: String...) throws -> Result {
    let own = try Process.executablePath()
    let directory = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
      separator: "/")
    return try run([directory + "/lull-player"] + arguments)
  }

  func run(_ command: [String]) throws -> Result {
    let (output, errors) = (try UnixSocket.pair(), try UnixSocket.pair())
    let child = try spawn(command, output: output.1.raw, errors: errors.1.raw)
    output.1.close()
    errors.1.close()
    let text = try read(output.0)
    let complaint = try read(errors.0)
    try #require(
      try Socket.poll(child.raw, .readable, timeoutMilliseconds: 10_000) != [], "\(command) does not end")
    guard case .exited(let status)? = try Process.waitStatus(child.raw) else {
      return Result(status: -1, output: text, errors: complaint)
    }
    return Result(status: status, output: text, errors: complaint)
  }

  /// The process number of the player that runs.
  func pid() throws -> Int32 {
    let socket = try UnixSocket.connect(path: scratch.path + "/run/player")
    return try UnixSocket.peer(of: socket.raw).pid
  }

  /// A command's connection to the player that runs.
  func connect() throws -> PlayerConnection {
    guard let connection = try PlayerConnection(path: scratch.path + "/run/player") else {
      throw SystemError.timedOut("a player")
    }
    return connection
  }

  /// Ends the bus, and waits until it has ended.
  func endBus() throws {
    let bus = try #require(bus)
    try Process.sendSignal(bus.raw, Signal.kill)
    try #require(try Socket.poll(bus.raw, .readable, timeoutMilliseconds: 10_000) != [])
  }

  private func spawn(_ command: [String], output: Int32, errors: Int32) throws -> DescriptorBox {
    var request = SpawnRequest(command)
    request.environment.removeAll { entry in
      variables.keys.contains { entry.starts(with: Array("\($0)=".utf8)) }
    }
    request.environment += variables.map { Array("\($0)=\($1)".utf8) }
    request.standardOutput = output
    request.standardError = errors
    let child = try Process.spawn(request)
    return DescriptorBox(child.pidfd)
  }

  private func startBus() throws -> DescriptorBox {
    let (near, far) = try UnixSocket.pair()
    let null = try Files.openNull()
    let address = "unix:path=\(scratch.path)/bus"
    let child = try spawn(
      ["dbus-daemon", "--session", "--nofork", "--nosyslog", "--print-address", "--address=\(address)"],
      output: far.raw, errors: null.raw)
    try #require(try Socket.poll(near.raw, .readable, timeoutMilliseconds: 10_000) != [], "no dbus-daemon")
    return child
  }

  private func read(_ box: DescriptorBox) throws -> String {
    var buffer = ReceiveBuffer(capacity: 65_536)
    var bytes: [UInt8] = []
    while true {
      try #require(
        try Socket.poll(box.raw, .readable, timeoutMilliseconds: 20_000) != [], "no end of the output")
      guard case .bytes = try Socket.read(box.raw, into: &buffer) else { break }
      bytes += buffer.received
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

import ArgumentParser
import Glibc
import LullChannel
import LullModel
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import lull_command

/// The result of a run of `lull`.
struct Outcome {
  var status = ExitStatus.signaled(0)
  var output = ""
  var errors = ""
  /// The requests of `lull`, in order.
  var requests: [Request] = []
  /// The records that `lull` has left in the ledger of the runtime directory.
  var ledger: [LedgerRecord] = []
}

/// Runs the built `lull` in a runtime directory of its own; the test plays the daemon, in one thread.
struct LullProcess {
  /// The limit, longer than the 5 s that `lull` waits for an answer.
  private static let bound: Int64 = 20_000_000_000

  /// The names of the commands that `lull --help` lists.
  static var commands: [String] {
    LullCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
  }

  private let directory: String
  private let environment: [String]
  private let listener: DescriptorBox?
  private var clients: [FakeClient] = []
  private var outcome = Outcome()
  private let version: String
  /// True until the first connection has come, where that is to a daemon which was just killed.
  private var isKilled: Bool
  private let hasDaemon: Bool

  /// Runs `lull` with the script as its daemon; without a script there is no daemon. The daemon is of
  /// `version`, as it answers to every `hello`; the script does not see that. `output` takes the place of
  /// standard output; `starter` is a program that runs `lull` with other limits or as another user.
  /// `isKilled`: the first connection is to a daemon that was just killed; the script comes in its place.
  static func run(
    _ arguments: [String], environment: [String] = [], version: String = "0.1.0", output: Int32? = nil,
    by starter: [String] = [], isKilled: Bool = false, script: Script? = nil
  ) throws -> Outcome {
    var process = try LullProcess(
      environment: environment, version: version, hasDaemon: script != nil, isKilled: isKilled)
    let words = starter + [try Built.program("lull")] + arguments
    return try process.run(words, script ?? { _, _, _ in }, output: output)
  }

  private init(environment: [String], version: String, hasDaemon: Bool, isKilled: Bool) throws {
    (self.version, self.hasDaemon, self.isKilled) = (version, hasDaemon, isKilled)
    directory = "/tmp/lull-test-\(Identity.pid())-\(UInt64.random(in: 0 ... .max))"
    try RuntimeDirectory.ensure(directory)
    self.environment =
      environment + ["LULL_RUNTIME_DIR=\(directory)", "TZ=UTC", "LULL_GUARD=/nonexistent/guard"]
    listener =
      hasDaemon || isKilled ? DescriptorBox(try UnixSocket.listen(path: "\(directory)/control")) : nil
  }

  private mutating func run(
    _ arguments: [String], _ script: @escaping Script, output given: Int32?
  ) throws -> Outcome {
    defer { remove() }
    let (output, outputEnd) = try UnixSocket.pair()
    let (errors, errorsEnd) = try UnixSocket.pair()
    let child = try spawn(arguments, output: given ?? outputEnd.raw, errors: errorsEnd.raw)
    outputEnd.close()
    errorsEnd.close()
    let deadline = Clock.boottime() + Self.bound
    while output.isOpen || errors.isOpen {
      guard Clock.boottime() < deadline else {
        try Process.sendSignal(child.pidfd.raw, Signal.kill)
        Issue.record("lull \(arguments) did not end; it wrote \(outcome.output) \(outcome.errors)")
        break
      }
      try wait(for: [output, errors])
      try accept()
      for client in clients { try serve(client, script) }
      try read(output, \.output)
      try read(errors, \.errors)
    }
    _ = try Socket.poll(child.pidfd.raw, .readable, timeoutMilliseconds: 5000)
    outcome.status = try #require(try Process.waitStatus(child.pidfd.raw))
    outcome.ledger = try LedgerFile.read("\(directory)/\(LedgerFile.name)")?.records ?? []
    return outcome
  }

  private func remove() {
    for name in ["control", LedgerFile.name] { _ = unsafe unlink("\(directory)/\(name)") }
    _ = unsafe rmdir(directory)
  }

  private func spawn(_ arguments: [String], output: Int32, errors: Int32) throws -> Spawned {
    var request = SpawnRequest(arguments)
    request.setEnvironment(environment)
    let input = try Files.memoryFile(name: "input", [])
    request.standardInput = input.raw
    request.standardOutput = output
    request.standardError = errors
    return try Process.spawn(request)
  }

  private func wait(for streams: [DescriptorBox]) throws {
    let boxes = streams + clients.map(\.box) + (listener.map { [$0] } ?? [])
    var entries = boxes.filter(\.isOpen).map { PollEntry($0.raw, .readable) }
    try Socket.pollMany(&entries, timeoutMilliseconds: 1000)
  }

  private mutating func accept() throws {
    guard let listener, listener.isOpen else { return }
    while listener.isOpen, let descriptor = try Socket.accept(from: listener.raw) {
      guard isKilled else {
        clients.append(try FakeClient(descriptor, isFirst: clients.isEmpty))
        continue
      }
      isKilled = false
      if !hasDaemon { listener.close() }
    }
  }

  private mutating func serve(_ client: FakeClient, _ script: Script) throws {
    var requests: [Request] = []
    try client.read { request, descriptor in
      if case .hello = request {
        return try client.say("ok pid=42 version=\(version) clockRate=1 suspender=cgroup identity=operator")
      }
      requests.append(request)
      try script(request, client, descriptor)
    }
    outcome.requests += requests
  }

  private mutating func read(_ stream: DescriptorBox, _ text: WritableKeyPath<Outcome, String>) throws {
    guard stream.isOpen else { return }
    var buffer = ReceiveBuffer(capacity: 65_536)
    switch try UnixSocket.receive(into: &buffer, from: stream.raw) {
    case .bytes: outcome[keyPath: text] += String(decoding: buffer.received, as: UTF8.self)
    case .endOfStream, .descriptorLost: stream.close()
    case .wouldBlock: return
    }
  }
}

import LullChannel
import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Commands without a daemon and without a cgroup.
@Suite(.bounded) struct LauncherTests {
  private let client = Slot(index: 5, generation: 2)
  private let launcher: Launcher
  private let reactor: DaemonReactor

  init() throws {
    let services = try SharedServices(DaemonOptions())
    (reactor, launcher) = (services.reactor, Launcher(services))
  }

  private func block(_ words: String...) -> CommandBlock {
    let bytes: [UInt8] = words.flatMap { (word: String) -> [UInt8] in Array(word.utf8) + [0] }
    return CommandBlock(bytes, argumentCount: words.count)
  }

  /// Starts a command and waits for the result of the start.
  private func start(_ block: CommandBlock) throws -> (Launcher.Outcome, DescriptorBox) {
    let child = try launcher.spawn(block, Staged(), in: nil)
    let program = try testProgram("x", id: AppID(slot: 3, generation: 1))
    try launcher.track(program, status: child.status, client: client, command: "x")
    try ready(reactor.raw, .readable, "nothing is known of the command")
    return (launcher.finish(program.id), child.pidfd)
  }

  @Test func `a command that has started is told once, to whoever ran it`() throws {
    let (outcome, pidfd) = try start(block("/bin/true"))
    guard case .started(client) = outcome else { return #expect(Bool(false), "\(outcome)") }
    guard case .nothing = launcher.finish(AppID(slot: 3, generation: 1)) else {
      return #expect(Bool(false), "told twice")
    }
    try ready(pidfd.raw, .readable, "the command has not ended")
    #expect(try Process.waitStatus(pidfd.raw) == .exited(0))
  }

  @Test(arguments: [("/nonexistent/x", Code.notFound), ("/etc/passwd", .notExecutable)])
  func `what cannot be started is told by its code`(path: String, code: Code) throws {
    let (outcome, pidfd) = try start(block(path))
    guard case .failed(client, .error(code, _)) = outcome else {
      return #expect(Bool(false), "\(outcome)")
    }
    try ready(pidfd.raw, .readable, "the child has not ended")
    _ = try Process.waitStatus(pidfd.raw)
  }

  @Test func `a program that has gone is forgotten`() throws {
    let child = try launcher.spawn(block("/bin/true"), Staged(), in: nil)
    let program = try testProgram("x")
    try launcher.track(program, status: child.status, client: client, command: "x")
    launcher.forget(program.id)
    #expect(reactor.count == 0)
    guard case .nothing = launcher.finish(program.id) else { return #expect(Bool(false), "told still") }
    try ready(child.pidfd.raw, .readable, "the command has not ended")
    _ = try Process.waitStatus(child.pidfd.raw)
  }
}

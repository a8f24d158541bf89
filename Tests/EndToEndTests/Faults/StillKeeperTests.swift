import LullSystem
import LullWire
import TestSupport
import Testing

/// Keepers that stand still while no daemon knows their programs.
@Suite(.tags(.faults), .bounded) struct StillKeeperTests {
  private let lull: Lull
  private let pid: Int32
  private let pidfd: DescriptorBox
  private let keeper: Int32
  private let keeperfd: DescriptorBox
  private var said: String { "\(lull.sandbox.directory)/said" }

  /// An installed program that says that it was launched.
  init() throws {
    lull = try Lull()
    _ = try lull.run("status")
    let script = "echo $LULL_LAUNCH_REASON >>\(lull.sandbox.directory)/said; exec sleep 1000"
    let install = try lull.run("install", "p", "--", "sh", "-c", script)
    pid = try #require(install.output.firstMatch(of: /\(pid (\d+)\)\n/).flatMap { Int32($0.1) }, "\(install)")
    pidfd = DescriptorBox(try Process.pidfdOpen(pid))
    keeper = try lull.keeper(of: pid)
    keeperfd = DescriptorBox(try Process.pidfdOpen(keeper))
    let path = said
    try eventually("it was not launched") { (try? Kernel.text(path)) == "user\n" }
  }

  private func hasEnded(_ pidfd: DescriptorBox) throws -> Bool {
    try !Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0).isEmpty
  }

  private func stop() throws { #expect(try lull.run("daemon", "stop").status == .exited(0)) }

  private var installed: String? {
    get throws { try lull.order("installed name=p").all(.installed).first?[.state] }
  }

  @Test(arguments: [false, true])
  func `a stopped one changes nothing for its program, which stays quit`(hasDaemon: Bool) throws {
    try Process.kill(keeper, Signal.stop)
    defer { try? Process.sendSignal(keeperfd.raw, Signal.continue) }
    try stop()
    if hasDaemon { try lull.startAgain() }
    let quit = try lull.run("quit", "p")
    #expect(quit.output == "p ended (SIGTERM)\n" && quit.status == .exited(0), "\(quit)")
    #expect(try hasEnded(pidfd))
    #expect(quit.errors.contains("the keeper of p was stopped; it was continued"), "\(quit)")
    try Deadline().wait(keeperfd.raw, .readable, for: "the end of the keeper")
    if !hasDaemon { try lull.startAgain() }
    #expect(try installed == "quit")
    #expect(try Kernel.text(said) == "user\n")
  }
}

/// What is no keeper of this runtime directory.
@Suite(.tags(.faults), .bounded) struct StrangeKeeperTests {
  private let lull: Lull

  init() throws { lull = try Lull() }

  @Test func `a program that happens to be called as a keeper is ended with its parent`() throws {
    let folder = "\(lull.sandbox.directory)/own"
    try Files.makeDirectory(folder)
    let copy = try ConnectedChild(["cp", "/bin/bash", "\(folder)/lull"])
    #expect(try copy.end() == .exited(0))
    try Kernel.write("echo $$ ready; while :; do sleep 1000; done\n", to: "\(folder)/keep")
    try lull.runDetached("p", ["sh", "-c", "cd \(folder); ./lull keep & wait"])
    let log = try lull.follow("p")
    let pid = try #require(try log.output.line().split(separator: " ").first.flatMap { Int32($0) })
    let pidfd = DescriptorBox(try Process.pidfdOpen(pid))
    #expect(try lull.run("daemon", "stop").status == .exited(0))
    let quit = try lull.run("quit", "p")
    #expect(quit.output == "p ended (SIGTERM)\n", "\(quit)")
    #expect(try !Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0).isEmpty)
  }

  @Test func `a keeper of another runtime directory belongs to the program that has started it`() throws {
    let other = "LULL_RUNTIME_DIR=\(lull.sandbox.directory)/other"
    let command = "\(other) \(try Built.program("lull"))"
    let script = "\(command) run --detach --name inner -- sleep 1000; echo ready; exec sleep 1000"
    try lull.runDetached("p", ["sh", "-c", script])
    let log = try lull.follow("p")
    let inner = try log.output.line()
    #expect(try log.output.line() == "ready")
    let pid = try #require(inner.firstMatch(of: /\(pid (\d+)\)/).flatMap { Int32($0.1) }, "\(inner)")
    let pidfd = DescriptorBox(try Process.pidfdOpen(pid))
    let keeperfd = DescriptorBox(try Process.pidfdOpen(lull.keeper(of: pid)))
    #expect(try lull.run("daemon", "stop").status == .exited(0))
    let quit = try lull.run("quit", "p")
    #expect(quit.output == "p ended (SIGTERM)\n", "\(quit)")
    #expect(try !Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0).isEmpty)
    #expect(try !Socket.poll(keeperfd.raw, .readable, timeoutMilliseconds: 0).isEmpty)
  }
}

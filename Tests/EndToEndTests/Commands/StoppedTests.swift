import LullSystem
import LullWire
import TestSupport
import Testing

/// A command that somebody stops and continues by itself, beside its `lull run`.
@Suite(.bounded) struct StoppedTests {
  @Test func `lull run does not stop with its command where no shell would continue it`() throws {
    let lull = try Lull()
    // The leader of a session: its process group is orphaned.
    let run = try ConnectedChild(
      [Built.program("lull"), "run", "--mode", "voip", "--name", "c", "--", "sleep", "1000"],
      environment: lull.environment, group: .newSession)
    var command: Int32?
    try eventually("the command does not run") {
      command = try lull.order("status").all(.program).first?[.pids].flatMap { Int32($0) }
      return try command.map { try Kernel.text("/proc/\($0)/comm") == "sleep\n" } ?? false
    }
    let pid = try #require(command)
    try Process.kill(pid, Signal.stop)
    try lull.order("wake name=c")
    try eventually("that it is stopped is not told") {
      try lull.run("why", "c").output.contains("a signal has stopped it")
    }
    #expect(try !Process.isStopped(run.pid) && Process.isStopped(pid))
    try Process.kill(pid, Signal.continue)
    try eventually("it is told as stopped") {
      try !lull.run("why", "c").output.contains("a signal has stopped it")
    }
    try run.signal(Signal.interrupt)
    #expect(try run.end() == .signaled(Signal.interrupt))
  }
}

import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// lulld and lull-guard killed together while a program sleeps.
@Suite(.tags(.faults), .bounded) struct LeftoverTests {
  @Test(arguments: LeftoverStage.Mode.allCases)
  func `any command of lull lets it go on and says so`(mode: LeftoverStage.Mode) throws {
    let stage = try LeftoverStage(mode)
    let run = try stage.start(isDetached: true)
    try stage.lull.killBoth()
    #expect(try stage.isHeld(stage.pid))
    let result = try stage.lull.run("status")
    let lines = result.errors.split(separator: "\n")
    #expect(lines.first == "lull: a daemon that was killed had left asleep and now runs: \(stage.name)")
    #expect(lines.count == 2 && result.status == .exited(1))
    try stage.expectAnswer()
    #expect(try stage.lull.run("status").errors.split(separator: "\n").count == 1)
    try run.end()
    try Process.kill(stage.pid, Signal.kill)
  }

  @Test(arguments: LeftoverStage.Mode.allCases)
  func `a new daemon lets it go on, started from another cgroup`(mode: LeftoverStage.Mode) throws {
    let stage = try LeftoverStage(mode)
    _ = try stage.start(isDetached: true)
    try stage.lull.killBoth()
    #expect(try stage.isHeld(stage.pid))
    let other = "\(stage.sandbox.cgroup)/two"
    _ = try Cgroup.create(at: other)
    let next = try Lull(cgroupRoot: other, sandbox: stage.sandbox)
    try stage.expectAnswer()
    #expect(try next.order("hello").last[.suspender] == "cgroup")
    try Process.kill(stage.pid, Signal.kill)
  }

  @Test(arguments: LeftoverStage.Mode.allCases)
  func `an attached lull run lets it go on, and stays with it`(mode: LeftoverStage.Mode) throws {
    let stage = try LeftoverStage(mode)
    let run = try stage.start(isDetached: false)
    try stage.lull.killBoth()
    #expect(try run.errors.line().hasSuffix("now runs: \(stage.name)"))
    #expect(
      try run.errors.line()
        == "lull: the daemon is gone; server (pid \(stage.pid)) runs on without it and does not sleep")
    try stage.expectAnswer()
    let server = try Process.pidfdOpen(stage.pid)
    try run.signal(Signal.terminate)
    try Deadline().wait(server.raw, .readable, for: "the end of the server")
    #expect(try run.end() == .signaled(Signal.terminate))
  }

  @Test(arguments: LeftoverStage.Mode.allCases)
  func `lull-audio lets it go on when nobody else is there`(mode: LeftoverStage.Mode) throws {
    let stage = try LeftoverStage(mode)
    _ = try stage.start(isDetached: true)
    let (audio, link) = try stage.startAudio()
    try stage.lull.killBoth()
    link.close()
    #expect(try audio.end() == .exited(0))
    try stage.expectAnswer()
    try Process.kill(stage.pid, Signal.kill)
  }

  @Test(arguments: LeftoverStage.Mode.allCases)
  func `the doctor finds it, and lets it go on when told`(mode: LeftoverStage.Mode) throws {
    let stage = try LeftoverStage(mode)
    _ = try stage.start(isDetached: true)
    #expect(try !stage.doctor().contains("leftovers"))
    // The processes that a living daemon holds still are no leftovers.
    #expect(try stage.doctor("--thaw") == "nothing was left asleep\n")
    #expect(try stage.isHeld(stage.pid))
    try stage.lull.killBoth()
    let found = try stage.doctor()
    #expect(found.contains("  leftovers ") && found.contains("mend: lull doctor --thaw"))
    #expect(try stage.isHeld(stage.pid))
    let word = mode == .cgroup ? "thawed" : "continued"
    #expect(try stage.doctor("--thaw") == "\(word) \(stage.name)\n")
    try stage.expectAnswer()
    try Process.kill(stage.pid, Signal.kill)
  }

  @Test func `the doctor finds what no record names`() throws {
    let stage = try LeftoverStage(.cgroup)
    _ = try stage.start(isDetached: true)
    try stage.lull.killBoth()
    try Files.unlink("\(stage.lull.runtimeDirectory)/leftovers")
    #expect(try stage.doctor("--thaw") == "thawed server\n")
    try stage.expectAnswer()
    try Process.kill(stage.pid, Signal.kill)
  }

  @Test func `a daemon that somebody has stopped with its guard is continued by whoever asks it`() throws {
    let stage = try LeftoverStage(.cgroup)
    _ = try stage.start(isDetached: true)
    let daemon = try stage.lull.pid
    try stage.lull.guardian.signal(Signal.stop)
    try Process.kill(daemon, Signal.stop)
    let result = try stage.lull.run("status", "server")
    #expect(result.status == .exited(0))
    let processes = "processes \(daemon) and \(stage.lull.guardian.pid) of Lull"
    #expect(result.errors.contains("; \(processes) were stopped, and were continued"), "\(result)")
    try stage.lull.order("quit name=server")
  }

  @Test func `a hand that was stopped with the lock is continued by whoever waits for a daemon`() throws {
    let stage = try LeftoverStage(.cgroup)
    _ = try stage.start(isDetached: true)
    try stage.lull.killBoth()
    let script = """
      import fcntl, os, signal, sys
      lock = open(sys.argv[1], "r+")
      fcntl.flock(lock, fcntl.LOCK_EX)
      print("ready", flush=True)
      os.kill(os.getpid(), signal.SIGSTOP)
      """
    let hand = try ConnectedChild(try Python.command(script, "\(stage.lull.runtimeDirectory)/lock"))
    #expect(try hand.output.line() == "ready")
    let result = try stage.lull.run("list")
    #expect(result.status == .exited(0), "\(result)")
    #expect(result.errors.contains("process \(hand.pid) of Lull was stopped, and was continued"), "\(result)")
    #expect(try hand.end() == .exited(0))
    try stage.expectAnswer()
    try Process.kill(stage.pid, Signal.kill)
  }

  @Test func `a daemon that starts waits for a hand that holds the lock`() throws {
    let stage = try LeftoverStage(.cgroup)
    _ = try stage.start(isDetached: true)
    try stage.lull.killBoth()
    let path = "\(stage.lull.runtimeDirectory)/lock"
    guard let held = try Files.lock(path) else { throw NothingCame(description: "\(path) is held") }
    let lock = DescriptorBox(held)
    let next = try ConnectedChild([Built.program("lulld")], environment: stage.lull.environment)
    // The daemon does not listen yet, so it can only wait for the lock.
    try eventually("it does not wait") { try Kernel.status(next.pid, "State").hasPrefix("S") }
    lock.close()
    try stage.expectAnswer()
    try eventually("it does not listen") { UnixSocket.isListening(path: stage.lull.socket) }
    try stage.lull.order("hello")
    try next.signal(Signal.terminate)
    #expect(try next.end() == .exited(0))
    try Process.kill(stage.pid, Signal.kill)
  }
}

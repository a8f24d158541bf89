import LullSystem
import LullWire
import TestSupport
import Testing

/// One of lulld and lull-guard is stopped while the other one dies, or both are stopped.
@Suite(.tags(.faults), .bounded) struct StoppedPairTests {
  private static let stopped = "of Lull was stopped, and was continued"

  private func stop(_ pid: Int32) throws {
    try Process.kill(pid, Signal.stop)
    try eventually("process \(pid) was not stopped") { try Process.isStopped(pid) }
  }

  private func stopGuard(of stage: LeftoverStage) throws { try stop(stage.lull.guardian.pid) }

  @Test func `an attached lull run continues a guard that was stopped when lulld died`() throws {
    let stage = try LeftoverStage(.cgroup)
    let run = try stage.start(isDetached: false)
    try stopGuard(of: stage)
    try stage.lull.kill()
    try stage.expectAnswer()
    #expect(try run.errors.line().hasSuffix(" \(stage.lull.guardian.pid) \(Self.stopped)"))
    #expect(try stage.lull.run("quit", "server").output == "server ended (SIGTERM)\n")
    // It was told of nothing but that.
    #expect(try run.errors.untilEnd() == "")
  }

  @Test func `lull-audio continues it when nobody else is there`() throws {
    let stage = try LeftoverStage(.cgroup)
    _ = try stage.start(isDetached: true)
    let (audio, link) = try stage.startAudio()
    try stopGuard(of: stage)
    try stage.lull.kill()
    link.close()
    #expect(try audio.end() == .exited(0))
    try stage.expectAnswer()
    try stage.lull.order("quit name=server now")
  }

  @Test func `the kernel continues a lulld that was stopped when its guard died`() throws {
    let stage = try LeftoverStage(.cgroup)
    _ = try stage.start(isDetached: true)
    let pid = try stage.lull.pid
    // Where the guard were not stopped first, it would continue lulld.
    try stopGuard(of: stage)
    try stop(pid)
    try stage.lull.guardian.signal(Signal.kill)
    try stage.journal.wait("guard-replaced")
    #expect(try stage.lull.pid == pid)
    try stage.lull.order("quit name=server now")
    try stage.lull.endReplaced()
  }

  @Test func `the kernel continues a guard in place of another one when its lulld dies`() throws {
    let stage = try LeftoverStage(.cgroup)
    _ = try stage.start(isDetached: true)
    try stage.lull.guardian.signal(Signal.kill)
    try stage.journal.wait("guard-replaced")
    let next = try Int32(stage.lull.item(.daemon, of: "server").integer(.guardPid))
    let pid = try stage.lull.pid
    // Where lulld were not stopped first, it would continue the guard.
    try stop(pid)
    try stop(next)
    try Process.kill(pid, Signal.kill)
    try stage.expectAnswer()
    try stage.lull.order("quit name=server now")
    try stage.lull.endReplaced()
  }

  /// A program that ends 5 s after it was asked to at the latest, and sooner when its input ends.
  @Test(arguments: [["quit", "p"], ["daemon", "stop", "--programs"]])
  func `whoever waits for an end continues both`(words: [String]) throws {
    let lull = try Lull()
    let script =
      "trap 'echo asked; read line; exit 3' TERM; echo ready; while :; do sleep 1000 & wait $!; done"
    let input = try Pipe.open()
    let run = try lull.start(["run", "--name", "p", "--", "sh", "-c", script], input: input.reading.raw)
    #expect(try run.output.line() == "ready")
    let pid = try lull.pid
    let ending = try lull.start(words)
    #expect(try run.output.line() == "asked")
    try stop(lull.guardian.pid)
    try stop(pid)
    input.writing.close()
    let told = words == ["quit", "p"] ? "p ended (status 3)\n" : "the daemon has ended\n"
    #expect(try ending.output.untilEnd() == told)
    // `lull run` waits for them, too, and may have been the first to look.
    #expect(try (ending.errors.untilEnd() + run.errors.untilEnd()).contains(" stopped, and w"))
    #expect(try ending.end() == .exited(0))
  }
}

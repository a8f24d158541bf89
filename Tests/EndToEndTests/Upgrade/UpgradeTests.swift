import LullSystem
import LullWire
import TestSupport
import Testing

/// `lull daemon upgrade` under programs that sleep.
@Suite(.tags(.faults), .bounded(seconds: 240)) struct UpgradeTests {
  @Test func `connections and sleep outlive an upgrade, after which both processes run the new files`() throws
  {
    let installed = try Installation()
    let stage = try Stage(sandbox: installed.sandbox, binaries: installed.folder)
    let lull = stage.lull
    let port = try stage.network.freePort()
    let netcat = try stage.run("nc", ["nc", "-lk", "127.0.0.1", "\(port)"])
    try stage.journal.waitForSleep(of: "nc")
    let peer = try stage.network.connect(to: port)
    try stage.journal.wait("woke", of: "nc", cause: "accept")
    try stage.journal.waitForSleep(of: "nc")
    let (puppet, caller) = try Puppet.sleeping(lull, stage.journal)
    let old = try lull.pid
    #expect(installed.isRun("lulld", by: old))
    try installed.replaceAll()
    #expect(!installed.isRun("lulld", by: old))

    let upgrade = try installed.startUpgrade(of: lull)
    try peer.send("during\n")
    _ = try puppet.told("lost")
    try puppet.comeBack()
    let result = try Installation.result(of: upgrade)
    #expect(result.status == .exited(0))
    #expect(result.errors == "")
    let new = try lull.pid
    #expect(result.output.hasPrefix("lulld ") && result.output.contains("(pid \(old)) → "))
    #expect(result.output.hasSuffix(" (pid \(new)); 2 programs, 0 lost\n"), "\(result.output)")
    #expect(new != old && installed.isRun("lulld", by: new))
    #expect(try lull.guardian.end() == .exited(0))
    let guardian = try Process.parentPid(of: new)
    #expect(installed.isRun("lull-guard", by: guardian))
    #expect(try netcat.output.line() == "during")

    // They fall asleep in any order.
    try lull.journal().waitForSleep(of: "nc")
    try lull.journal().waitForSleep(of: puppet.name)
    try peer.send("after\n")
    #expect(try netcat.output.line() == "after")
    try caller.send("hello")
    #expect(try puppet.bytes() == "hello")
    let daemon = try #require(try lull.order("status").all(.daemon).first)
    #expect((try daemon.integer(ifPresent: .restarts) ?? 0) == 0)
    #expect(try daemon.integer(.guardPid) == Int64(guardian))
    // The new guard guards as the one before did.
    try lull.kill()
    #expect(try lull.pid != new)
    try lull.journal().waitForSleep(of: "nc")
  }

  /// What a package can break.
  enum Fault: String, CaseIterable {
    case guardNotExecutable, daemonNotExecutable, endsAtOnce
  }

  @Test(arguments: Fault.allCases)
  func `programs that do not start change nothing`(fault: Fault) throws {
    let installed = try Installation()
    let lull = try Lull(sandbox: installed.sandbox, binaries: installed.folder)
    let journal = try lull.journal()
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let old = try lull.pid
    switch fault {
    case .guardNotExecutable: try installed.forbid("lull-guard")
    case .daemonNotExecutable: try installed.forbid("lulld")
    case .endsAtOnce: try installed.replace("lulld", script: "exit 3")
    }
    let result = try installed.upgrade(lull)
    #expect(result.status == .exited(1))
    #expect(result.output == "")
    #expect(result.errors.hasSuffix("; nothing was changed\n"), "\(result.errors)")
    #expect(try lull.pid == old)
    #expect(try lull.cgroup(of: puppet.name).state().frozen)
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    try installed.replaceAll()
    let upgrade = try installed.startUpgrade(of: lull)
    _ = try puppet.told("lost")
    try puppet.comeBack()
    #expect(try Installation.result(of: upgrade).output.hasSuffix("1 program, 0 lost\n"))
  }

  @Test func `a guard that is not the parent of lulld is upgraded too`() throws {
    let installed = try Installation()
    let lull = try Lull(sandbox: installed.sandbox, binaries: installed.folder)
    let journal = try lull.journal()
    try lull.guardian.signal(Signal.kill)
    try lull.guardian.end()
    try journal.wait("guard-replaced")
    let old = try lull.pid
    let result = try installed.upgrade(lull)
    #expect(result.output.hasSuffix("0 programs, 0 lost\n"), "\(result)")
    let new = try lull.pid
    #expect(new != old)
    #expect(try installed.isRun("lull-guard", by: Process.parentPid(of: new)))
    try lull.endReplaced(new)
  }
}

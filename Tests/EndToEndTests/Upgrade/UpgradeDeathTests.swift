import LullSystem
import LullWire
import TestSupport
import Testing

/// Deaths in the middle of `lull daemon upgrade`: afterwards there are a daemon and a guard.
@Suite(.tags(.faults), .bounded(seconds: 240)) struct UpgradeDeathTests {
  private let installed: Installation
  private let stage: Stage
  private let peer: Channel
  private let netcat: ConnectedChild

  init() throws {
    installed = try Installation()
    stage = try Stage(sandbox: installed.sandbox, binaries: installed.folder)
    let port = try stage.network.freePort()
    netcat = try stage.run("nc", ["nc", "-lk", "127.0.0.1", "\(port)"])
    try stage.journal.waitForSleep(of: "nc")
    peer = try stage.network.connect(to: port)
    try stage.journal.wait("woke", of: "nc", cause: "accept")
    try stage.journal.waitForSleep(of: "nc")
    try installed.replaceAll()
  }

  /// Checks that a pair runs in which the daemon is not that of before, with the program and its connection.
  private func checkAll(insteadOf old: Int32) throws {
    let lull = stage.lull
    try eventually("there is no other daemon with a guard") {
      guard let daemon = try? lull.order("status").all(.daemon).first else { return false }
      return try daemon.integer(.pid) != Int64(old) && daemon[.guardPid] != nil
    }
    try peer.send("hello\n")
    #expect(try netcat.output.line() == "hello")
    try lull.journal().waitForSleep(of: "nc")
    try peer.send("again\n")
    #expect(try netcat.output.line() == "again")
  }

  @Test func `where the new lulld crashes at its start, the one before goes on, and the upgrade says so`()
    throws
  {
    let old = try stage.lull.pid
    try installed.replace("lulld", crashingWith: "--guarded")
    let result = try installed.upgrade(stage.lull)
    #expect(result.status == .exited(1) && result.output == "", "\(result)")
    #expect(result.errors.hasPrefix("lull: not upgraded: lulld (pid "), "\(result)")
    try checkAll(insteadOf: old)
  }

  @Test func `where the new guard crashes at its start, the lulld before guards itself`() throws {
    try installed.replace("lull-guard", crashingWith: "--adopt")
    let result = try installed.upgrade(stage.lull)
    #expect(result.status == .exited(1) && result.output == "", "\(result)")
    try checkAll(insteadOf: 0)
    try stage.lull.endReplaced()
  }
}

extension Installation {
  /// Puts a program in the place of another one that crashes when it is started with an option.
  fileprivate func replace(_ program: String, crashingWith option: String) throws {
    let real = path("real-\(program)")
    try Kernel.copy(Built.program(program), to: real, mode: 0o755)
    try replace(
      program, script: #"case " $* " in *" \#(option) "*) kill -SEGV $$ ;; esac; exec "\#(real)" "$@""#)
  }
}

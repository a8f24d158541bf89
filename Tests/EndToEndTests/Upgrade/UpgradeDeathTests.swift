import Glibc
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

  @Test func `where the new lulld crashes at its start, the guard tries again until it is mended`() throws {
    let old = try stage.lull.pid
    try installed.replace("lulld", crashingWith: "--guarded")
    let upgrade = try installed.startUpgrade(of: stage.lull)
    try eventually("the old lulld does not end") { !Files.exists("/proc/\(old)") }
    try installed.replace("lulld")
    let result = try Installation.result(of: upgrade)
    #expect(result.status == .exited(0) && result.errors == "", "\(result)")
    try checkAll(insteadOf: old)
  }

  @Test func `where lulld is killed while the new guard is tried, the old one goes on, and it alone`() throws
  {
    let old = try stage.lull.pid
    let gate = try Gate(in: installed.folder)
    try installed.replace("lull-guard", waitingAt: gate, with: "--adopt")
    let upgrade = try installed.startUpgrade(of: stage.lull)
    let trial = try gate.wait()
    try stage.lull.kill()
    // The next lulld is asked again, and has a new guard without a gate.
    #expect(try Installation.result(of: upgrade).status == .exited(0))
    let new = try stage.lull.pid
    try gate.open()
    try eventually("the guard of the dead lulld does not end") { !Files.exists("/proc/\(trial)") }
    #expect(try stage.lull.pid == new)
    try checkAll(insteadOf: old)
  }
}

/// The death of lulld in the middle of `lull daemon upgrade`, with a connection whose program has ended.
@Suite(.tags(.faults), .bounded) struct UpgradeLossTests {
  @Test func `the new guard has what the one before kept, though lulld dies before it says a word`() throws {
    let installed = try Installation()
    let lull = try Lull(sandbox: installed.sandbox, binaries: installed.folder)
    let netcat = try Netcat()
    let phone = [try Built.program("lull-phone"), "127.0.0.1", "\(netcat.port)"]
    let pid = try lull.runDetached("phone", phone, options: ["--keep-lines"])
    #expect(try netcat.line.line() == "ping")
    let journal = try lull.journal()
    try journal.waitForSleep(of: "phone")
    try Process.kill(pid, Signal.kill)
    try journal.wait("lines-kept", of: "phone")
    let gate = try Gate(in: installed.folder)
    try installed.replace("lull-guard", waitingAt: gate, with: "--adopt")
    let upgrade = try installed.startUpgrade(of: lull)
    _ = try gate.wait()
    try lull.kill()
    #expect(try Installation.result(of: upgrade).status == .exited(0))
    try gate.open()
    #expect(try installed.isRun("real-lull-guard", by: Process.parentPid(of: lull.pid)))
    try #require(lull.order("lines").all(.line).contains { $0[.kept] != nil })
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
  }
}

/// A place at which the first start of a program waits.
private struct Gate {
  let path: String

  init(in folder: String) throws {
    path = "\(folder)/gate"
    try Kernel.check(unsafe mkfifo(path, 0o600))
  }

  /// Waits until a program waits there; returns its number.
  func wait() throws -> Int32 {
    try eventually("nobody waits at the gate") { Files.exists("\(path).waits/pid") }
    return try #require(Int32(Kernel.text("\(path).waits/pid").split(separator: "\n").joined()))
  }

  func open() throws { try Kernel.write("\n", to: path) }
}

extension Installation {
  /// Puts a program in the place of another one whose first start with an option waits at a gate.
  fileprivate func replace(_ program: String, waitingAt gate: Gate, with option: String) throws {
    let wait = #"mkdir "$w" && echo $$ >"$w/new" && mv "$w/new" "$w/pid" && read x <"\#(gate.path)""#
    try replace(program, #"w="\#(gate.path).waits"; [ -e "$w" ] || { \#(wait); }"#, with: option)
  }

  /// Puts a program in the place of another one that crashes when it is started with an option.
  fileprivate func replace(_ program: String, crashingWith option: String) throws {
    try replace(program, "kill -SEGV $$", with: option)
  }

  /// Puts a program in the place of another one that does something first when it is started with an option.
  private func replace(_ program: String, _ action: String, with option: String) throws {
    let real = path("real-\(program)")
    try Kernel.copy(Built.program(program), to: real, mode: 0o755)
    try replace(
      program, script: #"case " $* " in *" \#(option) "*) \#(action) ;; esac; exec "\#(real)" "$@""#)
  }
}

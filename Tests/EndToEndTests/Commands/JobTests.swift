import LullSystem
import LullWire
import TestSupport
import Testing

/// `lull run` as a job of an interactive shell.
@Suite(.bounded) struct JobTests {
  private let lull: Lull
  private let shell: ShellSession

  init() throws {
    lull = try Lull()
    shell = try ShellSession(lull)
  }

  /// The first process of a program; nil while there is none.
  private func leader(of name: String) throws -> Int32? {
    let program = try lull.order("status").all(.program).first { $0[.name] == name }
    return program?[.pids]?.split(separator: ",").first.flatMap { Int32($0) }
  }

  @Test func `a reader in the background is stopped and takes nothing, until fg`() throws {
    try shell.type("lull run --name c -- sh -c 'cat >stolen' &")
    try eventually("the job does not stop") {
      guard let leader = try leader(of: "c") else { return false }
      return try Process.isStopped(leader) && Process.isStopped(Process.parentPid(of: leader))
    }
    try shell.ask("echo typed$((1+1))", "typed2")
    #expect(try Kernel.text("\(lull.sandbox.directory)/stolen") == "")
    try shell.type("fg")
    try eventually("it did not come to the foreground") { try lull.state(of: "c") == "active" }
    try shell.type("mine")
    try shell.control("D")
    try shell.ask("echo status$?", "status0")
    #expect(try Kernel.text("\(lull.sandbox.directory)/stolen") == "mine\n")
  }

  @Test func `a child that reads the terminal after bg stops the job once more`() throws {
    // A shell that starts a program waits in vfork, for ever when Ctrl-Z stops the child before its exec: the
    // child is a part of the shell.
    try shell.type("lull run --name c -- sh -c 'echo up$((1+1)); (read -r it; echo $it >read); true'")
    try shell.wait(for: "up2")
    try shell.control("Z")
    try shell.wait(for: "Stopped")
    for _ in 1...3 {
      // For the shell it runs from the `bg` on, until it stops again.
      try shell.ask("bg; while [ -n \"$(jobs -r)\" ]; do :; done; echo again$((1+1))", "again2")
      let leader = try #require(try leader(of: "c"))
      #expect(try Process.isStopped(Process.parentPid(of: leader)))
      // The race: Lull may have put it to sleep before it took its SIGTTIN.
      try eventually("the job runs on") {
        try Process.isStopped(leader) || lull.state(of: "c") == "suspended"
      }
    }
    try shell.type("fg")
    try eventually("it did not come to the foreground") { try lull.state(of: "c") == "active" }
    try shell.type("mine")
    try shell.ask("echo status$?", "status0")
    #expect(try Kernel.text("\(lull.sandbox.directory)/read") == "mine\n")
  }

  @Test func `a stop right after bg is not undone by the news of the bg`() throws {
    try Executables.require("strace", package: "strace")
    let reader = "(trap \"sleep 0.1; read -r it\" CONT; echo up$((1+1)); sleep 1000 & wait)"
    try shell.type("lull run --name c -- sh -c '\(reader); true'")
    try shell.wait(for: "up2")
    try shell.control("Z")
    try shell.wait(for: "Stopped")
    let run = try Process.parentPid(of: #require(try leader(of: "c")))
    // The race: the command reads the terminal while `lull run` asks to whom SIGCONT was sent.
    let slowness = ["-e", "trace=getpid", "-e", "inject=getpid:delay_exit=300000"]
    let slow = try ConnectedChild(["strace", "-p", "\(run)"] + slowness)
    _ = try slow.errors.line { $0.contains("attached") }
    try shell.ask("bg; wait %1; echo waited$?", "waited\(128 + Signal.terminalInput)")
  }

  @Test func `Ctrl-Z stops it in the background, bg lets it run, Ctrl-C ends it`() throws {
    try shell.type("lull run --name c -- sh -c 'echo up$((1+1)); exec sleep 1000'")
    try shell.wait(for: "up2")
    #expect(try lull.state(of: "c") == "active")
    try shell.control("Z")
    try shell.wait(for: "Stopped")
    #expect(try lull.state(of: "c") == "background")
    try shell.ask("bg; echo went$((1+1))", "went2")
    let pid = try #require(try leader(of: "c"))
    try eventually("it does not go on") { try !Process.isStopped(pid) }
    try eventually("it did not come back") { try lull.state(of: "c") == "active" }
    try shell.ask("fg", "lull run --name c")
    // bash shows the job before it hands it the terminal.
    try eventually("it has no terminal") { try shell.foregroundGroup() == Process.processGroup(of: pid) }
    try shell.control("C")
    try shell.ask("echo status$?", "status130")
  }

  @Test func `keys typed after Ctrl-Z wake nobody, and a stopped program fills no log`() throws {
    let journal = try lull.journal()
    try shell.type("lull run --mode voip --name c -- nc -l 127.0.0.1 \(freePort())")
    try journal.waitForSleep(of: "c")
    try shell.control("Z")
    try shell.wait(for: "Stopped")
    let before = try lull.order("log").all(.entry).count
    try shell.ask("echo typed$((1+1))", "typed2")
    try shell.ask("sleep 1.5; echo typed$((2+2))", "typed4")
    #expect(try lull.state(of: "c") == "background")
    #expect(try lull.order("log").all(.entry).count - before <= 1)
    try shell.type("bg")
    try journal.waitForSleep(of: "c")
    try shell.type("kill %1; wait; echo over$((1+1))")
    try shell.wait(for: "over2")
  }

  @Test func `a shell under it has job control, and suspends as a whole`() throws {
    try shell.type("lull run --name inner -- bash --norc --noprofile -i")
    try shell.ask("[[ $- == *m* ]] && echo jobs$((1+1))", "jobs2")
    try shell.type("sleep 1000")
    let inner = try #require(try leader(of: "inner"))
    try eventually("sleep does not run") {
      try Process.children(of: inner).contains { try Kernel.text("/proc/\($0)/comm") == "sleep\n" }
    }
    try shell.control("Z")
    try shell.wait(for: "Stopped")
    try shell.ask("suspend", "Stopped")
    try shell.ask("echo outer$((1+1))", "outer2")
    try shell.type("fg")
    try shell.ask("jobs; echo inner$((1+1))", "inner2")
    try shell.type("kill -9 $$")
    try shell.ask("echo status$?", "status137")
  }

  @Test func `a program that catches Ctrl-Z stops in its own time, and fg brings it back`() throws {
    let trap = "trap \"echo tidied\\$((1+1)); kill -STOP \\$\\$; echo drawn\\$((1+1))\" TSTP"
    try shell.type("lull run --name vi -- sh -c '\(trap); echo up$((1+1)); while :; do :; done'")
    try shell.wait(for: "up2")
    try shell.control("Z")
    try shell.wait(for: "tidied2")
    try shell.wait(for: "Stopped")
    try shell.type("fg")
    try shell.wait(for: "drawn2")
    try shell.control("C")
    try shell.ask("echo status$?", "status130")
  }

  @Test func `it has the terminal, and is told of a new window size`() throws {
    try Executables.require("python3", package: "python3-minimal")
    try shell.ask("lull run -- sh -c 'echo here$((1+1)) >/dev/tty'", "here2")
    let script = """
      import os, signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH]); print("up" + str(2)); \
      signal.sigwait([signal.SIGWINCH]); print(*reversed(os.get_terminal_size())); signal.pause()
      """
    try shell.type("lull run --name w -- python3 -c '\(script)'")
    try shell.wait(for: "up2")
    try shell.resize(rows: 33, columns: 99)
    try shell.wait(for: "33 99")
    try shell.control("C")
    try shell.ask("echo status$?", "status130")
  }

  @Test(arguments: ["", "bash -c '"])
  func `one Ctrl-C ends a loop around it`(script: String) throws {
    let loop = "while :; do lull run --name c -- sh -c \"echo up; exec sleep 60\"; done"
    try shell.type(script + loop + (script.isEmpty ? "" : "'"))
    try eventually("it does not run") {
      guard let pid = try leader(of: "c") else { return false }
      return try Kernel.text("/proc/\(pid)/comm") == "sleep\n"
    }
    try shell.control("C")
    try shell.ask("echo over$((1+1))", "over2")
    #expect(try lull.order("status").all(.program).isEmpty)
  }

  @Test func `Ctrl-C reaches one that sleeps`() throws {
    let journal = try lull.journal()
    let script = "trap \"echo caught$((1+1)); exit 3\" INT; echo up$((1+1)); read line <&3"
    let fifo = "mkfifo wait; exec 7<>wait"
    try shell.ask("\(fifo); echo made$((1+1))", "made2")
    try shell.type("lull run --name c -- sh -c '\(script)' 3<&7")
    try shell.wait(for: "up2")
    try lull.order("suspend name=c")
    try journal.waitForSleep(of: "c")
    try shell.control("C")
    try shell.wait(for: "caught2")
    try shell.ask("echo status$?", "status3")
  }
}

import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// `lull install`, and the programs that come back.
@Suite(.bounded) struct InstallTests {
  private let lull: Lull
  private var said: String { "\(lull.sandbox.directory)/said" }
  private var programs: String { "\(lull.sandbox.directory)/config/lull/programs" }

  init() throws { lull = try Lull() }

  /// Installs a program that says why it was launched, and lets it run.
  @discardableResult
  private func install(_ name: String = "p", options: [String] = []) throws -> Int32 {
    let script = "echo $LULL_LAUNCH_REASON $PWD $LULL_STATE_DIRECTORY $MARK >>\(said); exec sleep 1000"
    let words = ["install", name, "--mode", "voip"] + options + ["--", "sh", "-c", script]
    // The race: what is installed while lulld starts is a part of the boot.
    _ = try lull.run("status")
    let install = try lull.start(words)
    let (output, errors) = (try install.output.untilEnd(), try install.errors.untilEnd())
    #expect(try install.end() == .exited(0), "\(errors)")
    let pid = output.firstMatch(of: /\(pid (\d+)\)\n/).flatMap { Int32($0.1) }
    #expect(output.hasPrefix("\(name) is installed: \(programs)/\(name)\n"))
    return try #require(pid, "\(output)")
  }

  private func reasons() throws -> [Substring] {
    guard Files.exists(said) else { return [] }
    return try Kernel.text(said).split(separator: "\n").compactMap { $0.split(separator: " ").first }
  }

  private func waitForReasons(_ expected: [Substring]) throws {
    try eventually("it was launched for \((try? reasons()) ?? []), not \(expected)") {
      try reasons() == expected
    }
  }

  private func waitForDaemon() throws {
    try eventually("lulld did not come back") { (try? lull.order("hello")) != nil }
  }

  private func installedState(_ name: String = "p") throws -> String? {
    try lull.order("installed name=\(name)").all(.installed).first?[.state]
  }

  private func end(_ pid: Int32, by signal: Int32) throws {
    let pidfd = try Process.pidfdOpen(pid)
    try Process.sendSignal(pidfd.raw, signal)
    try Deadline().wait(pidfd.raw, .readable, for: "the end of \(pid)")
  }

  /// The files below a folder that have such a line.
  private func found(_ line: String, in folder: String) throws -> String {
    let grep = try ConnectedChild(["grep", "-rl", line, folder])
    let files = try grep.output.untilEnd()
    // A child that nobody holds any more is killed.
    try grep.end()
    return files
  }

  /// The state of the program in `lull list`.
  private func listedState() throws -> String? {
    let row = try lull.run("list").output.split(separator: "\n").first { $0.hasPrefix("p ") }
    return row?.split(separator: " ").dropFirst().first.map { String($0) }
  }

  @Test func `a program that was killed comes back, and one that was quit does not`() throws {
    let journal = try lull.journal()
    let pid = try install()
    try waitForReasons(["user"])
    #expect(try listedState() == lull.state(of: "p"))
    try end(pid, by: Signal.kill)
    try journal.wait("launched", of: "p", cause: "crash")
    try waitForReasons(["user", "crash"])
    let ended = try lull.order("status name=p all").all(.ended).first
    #expect(ended?[.reason] == "crashed" && ended?[.signal] == "9", "\(String(describing: ended))")
    try eventually("it does not run") { try installedState() == "running" }

    #expect(try lull.run("quit", "p").output.hasPrefix("p ended (SIGTERM)"))
    #expect(try installedState() == "quit")
    let told = try lull.run("why", "p")
    let why = told.output
    #expect(why.contains(": quit (SIGTERM) at ") && why.contains("\"lull start p\""), "\(told)")
    // The end and the memory of it are written by then, at most once a second.
    let memory = "\(lull.sandbox.directory)/state"
    try eventually("it was not written") {
      let quits = try found("name=p state=quit", in: memory)
      let ends = try found("name=p .*reason=quit", in: memory)
      return !quits.isEmpty && !ends.isEmpty
    }
    try lull.kill()
    try waitForDaemon()
    #expect(try installedState() == "quit")
    #expect(try lull.order("status name=p all").all(.ended).map { $0[.reason] } == ["quit", "crashed"])
    #expect(try reasons() == ["user", "crash"])

    #expect(try lull.run("start", "p").output.hasPrefix("p (pid "))
    try waitForReasons(["user", "crash", "user"])
  }

  @Test func `it is launched at boot, in the home directory, with a folder for what it keeps`() throws {
    let pid = try install(options: ["--env", "MARK=set"])
    try waitForReasons(["user"])
    try lull.guardian.signal(Signal.terminate)
    try lull.guardian.end()
    // A restart of the machine leaves no process, and nobody who has seen its end.
    try? end(lull.keeper(of: pid), by: Signal.kill)
    try? end(pid, by: Signal.kill)
    try Files.unlink("\(lull.runtimeDirectory)/ledger")
    try lull.startAgain()
    try waitForReasons(["user", "boot"])
    let line = try #require(try Kernel.text(said).split(separator: "\n").last).split(separator: " ")
    try #require(line.count == 4 && line[3] == "set", "\(line)")
    #expect(line[1] == Identity.home().map { $0[...] })
    #expect(line[2].hasSuffix("/programs-state/p"))
    #expect(try Files.owner(ofDirectory: String(line[2])).mode == 0o700)
  }

  @Test func `the keeper that has started the daemon has no other program`() throws {
    #expect(try lull.run("daemon", "stop").status == .exited(0))
    defer { _ = try? lull.run("daemon", "stop", "--programs") }
    // The keeper starts the daemon, which starts the installed program.
    #expect(try lull.run("run", "--detach", "--name", "first", "--", "sleep", "1000").status == .exited(0))
    let pid = try install()
    let pidfd = DescriptorBox(try Process.pidfdOpen(pid))
    #expect(try lull.run("daemon", "stop").status == .exited(0))
    #expect(try lull.run("quit", "first").output == "first ended (SIGTERM)\n")
    #expect(try Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0).isEmpty)
    #expect(try lull.run("quit", "p").output == "p ended (SIGTERM)\n")
  }

  @Test func `a file with an unknown word is told, and the others run`() throws {
    try install()
    try Kernel.write("# A phone.\n--keepalive 600\n-- /bin/true\n", to: "\(programs)/wrong")
    let error = "\(programs)/wrong:2: --keepalive: no such option; did you mean \"--keep-alive\"?\n"
    let list = try lull.run("list")
    #expect(list.output.hasSuffix(error) && list.output.contains("p      background"), "\(list.output)")
    let start = try lull.run("start", "wrong")
    #expect(start.errors == "lull: \(error)")
    #expect(start.status == .exited(1))
  }

  @Test func `remove ends it and takes its file away`() throws {
    try install()
    #expect(try lull.run("remove", "p").output == "p ended (SIGTERM)\np is removed\n")
    #expect(!Files.exists("\(programs)/p"))
    #expect(try lull.run("list").output.hasPrefix("No program is installed"))
    #expect(try lull.order("installed").all(.installed).isEmpty)
    let start = try lull.run("start", "p")
    #expect(start.status == .exited(1))
  }

  @Test func `restart reads the file anew`() throws {
    let first = try install()
    try waitForReasons(["user"])
    let text = try Kernel.text("\(programs)/p")
    try Kernel.write(text + "# A comment\n", to: "\(programs)/p")
    let restart = try lull.run("restart", "p")
    #expect(restart.errors == "" && restart.status == .exited(0))
    #expect(restart.output.wholeMatch(of: /p ended \(SIGTERM\)\np \(pid \d+\)\n/) != nil, "\(restart)")
    try waitForReasons(["user", "user"])
    #expect(try lull.field(.pids, of: "p") != "\(first)")
  }
}

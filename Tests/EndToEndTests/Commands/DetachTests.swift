import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// `lull run --detach`.
@Suite(.bounded) struct DetachTests {
  private let lull: Lull

  init() throws { lull = try Lull() }

  private static let quiet = ["sh", "-c", "echo ready; exec sleep 1000"]

  @Test func `it returns at once, and holds nothing of its caller's`() throws {
    let run = try lull.start(["run", "--detach", "--name", "p", "--"] + Self.quiet)
    // The end of both streams: nobody has them any more.
    let output = try run.output.untilEnd()
    #expect(try run.errors.untilEnd() == "")
    #expect(try run.end() == .exited(0))
    let pid = try #require(output.wholeMatch(of: /p \(pid (\d+)\)\n/).flatMap { Int32($0.1) })
    let keeper = try lull.keeper(of: pid)
    let stat = try Kernel.text("/proc/\(keeper)/stat").split(separator: " ")
    #expect(stat[5] == "\(keeper)", "a session of its own")
    #expect(stat[6] == "0", "no terminal")
    #expect(try Kernel.link("/proc/\(keeper)/cwd") == "/")
    for number in 0...2 { #expect(try Kernel.link("/proc/\(keeper)/fd/\(number)") == "/dev/null") }
    #expect(try Kernel.link("/proc/\(pid)/fd/0") == "/dev/null")
  }

  @Test(arguments: [
    ("no-such-command", 127, "no-such-command: command not found"),
    ("/etc/passwd", 126, "/etc/passwd: cannot be executed (Permission denied)"),
  ])
  func `what cannot be started is one line`(command: String, status: Int32, message: String) throws {
    let result = try lull.run("run", "--detach", "--name", "p", "--", command)
    #expect(result.status == .exited(status))
    #expect(result.output == "")
    #expect(result.errors == "lull: \(message)\n")
    #expect(try lull.run("start", "p").errors.contains("no program \"p\" to start"))
  }

  @Test(arguments: [
    (["--mode", "voip"], "printf 'no\\nport' >&2; exit 3", "exit status 3): port"),
    ([], "echo first; kill -9 $$", "SIGKILL): first"), ([], "exit 1", "exit status 1)"),
    (["--tty"], "printf '\\033[31mred\\033[0m\\033[?25h\\n'; exit 3", "exit status 3): red"),
  ])
  func `a program that dies at once was not started, and its last line is told`(
    options: [String], script: String, told: String
  ) throws {
    let run = try lull.seeDeath(options, script)
    #expect(run.output == "")
    #expect(run.errors == "lull: p ended at once (\(told); see \"lull logs p\"\n")
  }

  @Test func `the last line is that of the file of --output, if the program has written there`() throws {
    let file = "\(lull.sandbox.directory)/out"
    let loud = try lull.seeDeath(["--output", file], "echo no port; exit 3")
    #expect(loud.errors == "lull: p ended at once (exit status 3): no port; see \"lull logs p\"\n")
    try #require(try ConnectedChild(["touch", "-d", "2000-01-01", file]).end() == .exited(0))
    let silent = try lull.seeDeath(["--output", file], "exit 3")
    #expect(silent.errors == "lull: p ended at once (exit status 3); see \"lull logs p\"\n")
  }

  @Test func `one that has done its work at once, or has forked into the background, is no failure`() throws {
    let run = try lull.seeEnd(of: "p", ["run", "--detach", "--name", "p", "--", "true"])
    #expect(run.errors == "lull: p ended at once (exit status 0); see \"lull logs p\"\n")
    #expect(run.status == .exited(0) && run.output.wholeMatch(of: /p \(pid \d+\)\n/) != nil, "\(run)")
    let script = "sleep 1000 </dev/null >/dev/null 2>&1 & exit 3"
    let forked = try lull.run("run", "--detach", "--name", "q", "--", "sh", "-c", script)
    #expect(forked.status == .exited(0) && forked.errors == "", "\(forked)")
    #expect(try lull.state(of: "q") != "notRunning")
  }

  @Test func `its output reaches the log, also what it wrote before it fell asleep and before it ended`()
    throws
  {
    let journal = try lull.journal()
    try lull.runDetached("p", ["sh", "-c", "echo first; echo second >&2; read line; echo $?; printf last"])
    let words = ["sh", "-c", "echo ready; exec cat"]
    try lull.runDetached("q", words, options: ["--mode", "voip", "--stdin", "open"])
    try journal.waitForSleep(of: "q")
    #expect(try lull.run("logs", "q").output.hasSuffix(" ---\nready\n"))
    #expect(try lull.wholeLog("p") == "first\nsecond\n1\nlast")
    #expect(try lull.run("logs", "p", "--last", "2").output == "1\nlast")
  }

  @Test func `one line marks each start, and --since shows the lives from then on`() throws {
    let words = ["sh", "-c", "printf \"$$ $LULL_LAUNCH_REASON\""]
    let first = try lull.runDetached("p", words)
    _ = try lull.wholeLog("p")
    let start = try lull.run("start", "p").output
    let second = try #require(start.split(separator: " ").last.flatMap { Int32($0.dropLast(2)) })
    _ = try lull.wholeLog("p")
    let lines = try lull.run("logs", "p").output.split(separator: "\n").map { String($0) }
    let (day, time) = ("[0-9]{4}-[0-9]{2}-[0-9]{2}", "[0-9]{2}:[0-9]{2}:[0-9]{2}")
    for (line, pid) in zip([lines[0], lines[2]], [first, second]) {
      #expect(try Regex("--- started \(day) \(time), pid \(pid) ---").wholeMatch(in: line) != nil, "\(lines)")
    }
    #expect(lines.count == 4 && lines[1] == "\(first) " && lines[3] == "\(second) user", "\(lines)")
    #expect(try lull.run("logs", "p", "--since", "1 s").output.hasSuffix("\(second) user"))
    #expect(try !lull.run("logs", "p", "--since", "@9000000000").output.contains("\(first) \n"))
    #expect(try lull.run("logs", "p", "--since", "yesterday").output.contains("\(first) \n"))
  }

  @Test func `a log asks the terminal nothing on which it is shown`() throws {
    try lull.runDetached("p", ["printf", "a\u{1B}[6nb\u{1B}[31mc\u{1B}]11;?\u{7}\n"])
    #expect(try lull.wholeLog("p") == "a\u{1B}[6nb\u{1B}[31mc\u{1B}]11;?\u{7}\n")
    let screen = try Screen(lull, "logs", "p")
    try screen.see("---\r\nab\u{1B}[31mc\r\n")
    #expect(try screen.child.end() == .exited(0))
  }

  @Test func `a life that was killed on the other screen hides no later one`() throws {
    try lull.runDetached("p", ["printf", "one \u{1B}[31m\u{1B}[?1049hdrawn"])
    _ = try lull.wholeLog("p")
    #expect(try lull.run("start", "p").status == .exited(0))
    _ = try lull.wholeLog("p")
    let screen = try Screen(lull, "logs", "p")
    for start in 1...2 {
      try screen.see("--- started ")
      #expect(try screen.see("one \u{1B}[31m\u{1B}[0m").hasSuffix("---\r\n"), "start \(start)")
    }
    #expect(try screen.child.end() == .exited(0))
  }

  @Test func `output goes on at the end of a file, and one that cannot be written is refused`() throws {
    let file = "\(lull.sandbox.directory)/out"
    for word in ["one", "two"] {
      try lull.runDetached(word, ["sh", "-c", "umask; echo \(word)"], options: ["--output", file])
      _ = try lull.wholeLog(word)
    }
    let text = try Kernel.text(file).split(separator: "\n")
    #expect([text[1], text[3]] == ["one", "two"])
    let since = try lull.run("logs", "one", "--since", "today")
    #expect(since.errors.hasPrefix("lull: --since: \(file), the file of --output, has no line "), "\(since)")
    #expect(since.status == .exited(64))
    let result = try lull.run(
      "run", "--detach", "--name", "p", "--output", "/dev/null/x", "--", "sleep", "1000")
    #expect(result.status == .exited(1))
    #expect(result.errors == "lull: --output /dev/null/x: cannot be written (Not a directory)\n")
    #expect(try lull.order("status").all(.program).isEmpty)
  }

  @Test func `open input is silent, and gets the lines of those who join`() throws {
    let journal = try lull.journal()
    let script = "echo ready; read line; echo got $line; exec sleep 1000"
    try lull.runDetached("p", ["sh", "-c", script], options: ["--mode", "voip", "--stdin", "open"])
    try journal.waitForSleep(of: "p")
    let log = try lull.follow("p")
    #expect(try log.output.line() == "ready")
    let attached = try lull.attach("p", sending: "hi\n")
    #expect(try attached.end() == .exited(0))
    #expect(try log.output.line() == "got hi")
  }

  @Test func `low limits of the shell are the program's and not the keeper's`() throws {
    let script =
      "ulimit -n 20 -f 1; exec \"$0\" run --detach --name p -- sh -c 'ulimit -n; ulimit -f; seq 2000'"
    let run = try ConnectedChild(
      ["bash", "-c", script, Built.program("lull")], environment: lull.environment)
    #expect(try run.output.untilEnd().hasPrefix("p (pid "))
    #expect(try run.end() == .exited(0))
    let log = try lull.follow("p")
    #expect(try log.output.untilEnd().contains("\n2000\n"))
    #expect(try log.end() == .exited(0))
  }

  @Test func `many run at once`() throws {
    let runs = try (0..<50).map { number in
      try lull.start([
        "run", "--detach", "--name", "p\(number)", "--", "sh", "-c", "echo \(number); exec sleep 1000",
      ])
    }
    for run in runs { #expect(try run.end() == .exited(0)) }
    #expect(try lull.order("status").all(.program).count == 50)
    for number in [0, 49] {
      let log = try lull.follow("p\(number)")
      #expect(try log.output.line() == "\(number)")
    }
  }

  @Test func `a full disk loses old output, and nothing else fails`() throws {
    let state = "\(lull.sandbox.directory)/state"
    try Files.makeDirectory(state)
    try #require(
      try ConnectedChild(["mount", "-t", "tmpfs", "-o", "size=256k", "none", state]).end() == .exited(0))
    defer { _ = try? ConnectedChild(["umount", "--lazy", state]).end() }
    let script = "seq 100000 200000; echo all is written; exec sleep 1000"
    try lull.runDetached("p", ["sh", "-c", script])
    let log = try lull.follow("p")
    _ = try log.output.line { $0.hasSuffix("all is written") }
    try eventually("the log does not say what was dropped") {
      try lull.run("logs", "p").output.contains(/\[lull: \d+ older lines were dropped: there was no room/)
    }
    #expect(try lull.state(of: "p") != "notRunning")
    let again = try lull.run("run", "--detach", "--name", "q", "--", "sleep", "1000")
    #expect(again.status == .exited(0))
  }
}

extension Lull {
  /// Runs a script that dies as the detached program `p`.
  fileprivate func seeDeath(_ options: [String], _ script: String) throws -> CommandResult {
    let run = try seeEnd(
      of: "p", ["run", "--detach", "--name", "p"] + options + ["--", "sh", "-c", script])
    #expect(run.status == .exited(1), "\(run)")
    return run
  }
}

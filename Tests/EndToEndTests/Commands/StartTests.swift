import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// `lull start` and `lull restart`.
@Suite(.bounded) struct StartTests {
  private let lull: Lull

  init() throws { lull = try Lull() }

  @Test func `a program is started again as it was`() throws {
    let folder = "\(lull.sandbox.directory)/folder"
    try Files.makeDirectory(folder)
    let script =
      "cd \(folder) && umask 027 && ulimit -n 333 && A=b exec \"$0\" run --detach --name p -- sh -c \"$1\""
    let report = "pwd; umask; ulimit -n; echo $A"
    let first = try ConnectedChild(
      ["bash", "-c", script, Built.program("lull"), report], environment: lull.environment)
    #expect(try first.end() == .exited(0))
    _ = try lull.wholeLog("p")
    #expect(try lull.run("start", "p").output.hasPrefix("p (pid "))
    #expect(
      try lull.wholeLog("p") == String(repeating: "\(folder)\n0027\n333\nb\n", count: 2))
    try #require(try ConnectedChild(["rmdir", folder]).end() == .exited(0))
    let result = try lull.run("start", "p")
    #expect(result.status == .exited(1))
    #expect(
      result.errors
        == "lull: the directory \(folder) cannot be entered (No such file or directory); "
        + "start the program anew there\n")
  }

  @Test func `one that runs is told how it is started anew`() throws {
    let pid = try lull.runDetached("b", ["sleep", "1000"])
    let start = try lull.run("start", "b")
    #expect(start.output == "b runs already; \"lull restart b\" starts it anew\n", "\(start)")
    #expect(start.status == .exited(0))
    #expect(try lull.field(.pids, of: "b") == "\(pid)")
  }

  @Test func `several starts at once are one, and the others say that it runs`() throws {
    try lull.runDetached("b", ["sleep", "1000"])
    #expect(try lull.run("quit", "b").status == .exited(0))
    let starts = try (0..<6).map { _ in try lull.start(["start", "b"]) }
    let told = try starts.map { try $0.output.untilEnd() + $0.errors.untilEnd() }
    #expect(try starts.map { try $0.end() } == Array(repeating: .exited(0), count: 6), "\(told)")
    #expect(told.count { $0.contains("b runs already; \"lull restart b\" starts it anew\n") } == 5, "\(told)")
  }

  @Test func `a command that is not found leaves no keeper's socket`() throws {
    let run = try lull.run("run", "--detach", "--name", "b", "--", "/nonexistent")
    #expect(run.status == .exited(127), "\(run)")
    #expect(!Files.exists("\(lull.runtimeDirectory)/keepers/b"))
  }

  @Test func `a restart ends the program first`() throws {
    let first = try lull.runDetached("p", ["sh", "-c", "echo start; exec sleep 1000"])
    let result = try lull.run("restart", "p")
    #expect(result.status == .exited(0), "\(result.errors)")
    let report = /p ended \(SIGTERM\)\np \(pid (\d+)\)\n/
    let second = try #require(result.output.wholeMatch(of: report).flatMap { Int32($0.1) }, "\(result)")
    #expect(first != second)
    #expect(try lull.field(.pids, of: "p") == "\(second)")
    // What cannot be told is done all the same.
    let full = #""$0" restart p >/dev/full"#
    let unheard = try ConnectedChild(
      ["sh", "-c", full, Built.program("lull")], environment: lull.environment)
    #expect(try unheard.end() == .exited(1))
    #expect(try lull.field(.pids, of: "p") != "\(second)")
    let result2 = try lull.run("start", "p", "nobody")
    #expect(result2.status == .exited(2))
  }

  @Test func `a start and a restart that die are told with the last line, and fail`() throws {
    let script = "[ $LULL_LAUNCH_REASON ] || exec sleep 1000; echo no port; exit 3"
    try lull.runDetached("p", ["sh", "-c", script])
    #expect(try lull.run("quit", "p").status == .exited(0))
    for command in ["restart", "start"] {
      let result = try lull.seeEnd(of: "p", [command, "p"])
      #expect(result.status == .exited(1) && result.output == "", "\(result)")
      #expect(result.errors == "lull: p ended at once (exit status 3): no port; see \"lull logs p\"\n")
    }
  }

  @Test func `a restart ends a program of the name that has no keeper`() throws {
    try lull.runDetached("p", ["sh", "-c", "echo first; exec sleep 1000"])
    #expect(try lull.run("quit", "p").status == .exited(0))
    let run = try lull.start(["run", "--name", "p", "--", "sh", "-c", "echo ready; exec sleep 1000"])
    #expect(try run.output.line() == "ready")
    let result = try lull.run("restart", "p")
    #expect(result.errors == "")
    #expect(result.output.wholeMatch(of: /p ended \(SIGTERM\)\np \(pid \d+\)\n/) != nil, "\(result)")
    #expect(try run.end() == .signaled(Signal.terminate))
  }
}

/// The death of a keeper, and of lulld.
@Suite(.bounded, .tags(.faults)) struct KeeperTests {
  @Test func `the program of a killed keeper is hung up, asleep too`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let mark = "\(lull.sandbox.directory)/mark"
    let script =
      "trap '' TERM; trap 'echo hung up >\(mark); exit 1' HUP; echo ready; read line; sleep 1000 & wait"
    let options = ["--mode", "voip", "--stdin", "open"]
    let pid = try lull.runDetached("p", ["bash", "-c", script], options: options)
    try journal.waitForSleep(of: "p")
    let attached = try lull.start(["attach", "p"])
    let keeper = try lull.keeper(of: pid)
    try lull.waitForClients(1, of: keeper)
    try Process.kill(keeper, Signal.kill)
    #expect(
      try attached.errors.untilEnd()
        == "lull: the keeper of p is gone, and so is the program's input and output\n")
    #expect(try attached.end() == .exited(1))
    try eventually("it was not hung up") { Files.exists(mark) }
  }

  @Test func `a program that outlives the hang-up was not quit, and nobody keeps its output`() throws {
    let lull = try Lull()
    let journal = try lull.journal()
    let pid = try lull.runDetached("p", ["sh", "-c", "trap '' HUP TERM; while :; do sleep 1000; done"])
    let keeper = try lull.keeper(of: pid)
    try Process.kill(keeper, Signal.kill)
    try eventually("the keeper is not dead") { try lull.keeper(of: pid) != keeper }
    #expect(try lull.run("attach", "p").errors.hasPrefix("lull: nobody keeps the output of p: "))
    try journal.wait("exited", of: "p")
    let end = try lull.order("status name=p all").all(.ended).first
    #expect(end?[.reason] == "terminated" && end?[.signal] == "9", "\(String(describing: end))")
  }

  @Test func `what has ended is forgotten with its log, and what runs or is installed is not`() throws {
    let lull = try Lull()
    try lull.detach("p")
    let running = try lull.run("forget", "p")
    #expect(running.errors == "lull: p runs; \"lull quit p\" ends it\n" && running.status == .exited(1))
    #expect(try lull.run("quit", "p").status == .exited(0))
    let forgotten = try lull.run("forget", "p")
    #expect(forgotten.output.hasPrefix("p is forgotten: its record and its log ("), "\(forgotten)")
    #expect(forgotten.status == .exited(0))
    #expect(try lull.run("start", "p").errors.hasPrefix("lull: no program \"p\" to start"))
    #expect(try lull.run("logs", "p").errors.hasPrefix("lull: no detached program \"p\""))
    #expect(try lull.run("forget", "p").status == .exited(1))
    _ = try lull.run("install", "q", "--no-start", "--", "sleep", "1000")
    #expect(
      try lull.run("forget", "q").errors == "lull: q is installed; \"lull remove q\" removes it\n")
  }
}

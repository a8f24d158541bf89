import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// `lull attach`.
@Suite(.bounded) struct AttachTests {
  private let lull: Lull
  private let journal: Journal

  init() throws {
    lull = try Lull()
    journal = try lull.journal()
  }

  private static let shell = ["bash", "--norc", "--noediting"]

  private func runShell(_ lull: Lull, options: [String] = []) throws -> Int32 {
    try lull.runDetached("p", ["env", "PS1=prompt:"] + Self.shell, options: ["--tty"] + options)
  }

  @Test func `a program with a terminal is joined, and left by Ctrl-]`() throws {
    _ = try runShell(lull)
    let screen = try Screen(lull, "attach", "p", size: .init(columns: 100, rows: 40))
    try screen.see("joined p; Ctrl-] leaves")
    try screen.type("stty size; tty </dev/tty; echo sum=$((40 + 2))\r")
    try screen.see("40 100\r\n/dev/")
    try screen.see("sum=42")
    // The shell itself ignores Ctrl-C: the command must have the terminal before.
    try screen.type("sh -c 'echo run$((1))s; exec sleep 1000'\r")
    try screen.see("run1s")
    try screen.type("\u{3}echo in$((1))t\r")
    try screen.see("in1t\r\n")
    try screen.terminal.setSize(.init(columns: 120, rows: 50))
    try screen.type("\u{1D}")
    try screen.see("left p, which runs on")
    #expect(try screen.child.end() == .exited(0))
    #expect(try screen.isCooked())
    let again = try Screen(
      lull, "attach", "p", "--detach-keys", "ctrl-p,q", size: .init(columns: 90, rows: 30))
    try again.see("in1t")
    try again.type("stty size\r")
    try again.see("30 90")
    try again.type("\u{10}q")
    #expect(try again.child.end() == .exited(0))
  }

  @Test func `a program that takes no keys is left all the same`() throws {
    let pid = try lull.runDetached(
      "p", ["sh", "-c", "stty raw -echo; echo ready; exec sleep 1000"], options: ["--tty"])
    let screen = try Screen(lull, "attach", "p")
    try screen.see("joined p")
    try screen.see("ready")
    // More than the terminal and the sockets hold.
    let keeper = try lull.keeper(of: pid)
    try Process.kill(keeper, Signal.stop)
    defer { try? Process.kill(keeper, Signal.continue) }
    try screen.type(String(repeating: "a", count: 400_000))
    try screen.type("\u{1D}")
    try screen.see("left p, which runs on")
    #expect(try screen.child.end() == .exited(0))
    #expect(try screen.isCooked())
  }

  @Test(arguments: [Signal.terminate, Signal.hangUp, Signal.interrupt])
  func `a signal leaves the terminal as it was`(signal: Int32) throws {
    _ = try runShell(lull)
    let screen = try Screen(lull, "attach", "p")
    try screen.see("joined p")
    try screen.see("prompt:")
    try screen.child.signal(signal)
    #expect(try screen.child.end() == .exited(128 + signal))
    #expect(try screen.isCooked())
  }

  @Test func `input that was sent before leaving reaches a program that takes it later`() throws {
    let (mark, text) = ("\(lull.sandbox.directory)/mark", "\(lull.sandbox.directory)/text")
    // More than the program's pipe holds.
    try Files.replace(text, with: Array(repeating: UInt8(ascii: "a"), count: 120_000))
    let script = "mkfifo \(mark); : <\(mark); head -c 120000 | wc -c"
    try lull.runDetached("p", ["sh", "-c", script], options: ["--stdin", "open"])
    let file = try #require(try Files.openRegular(Array(text.utf8)))
    #expect(try lull.start(["attach", "p"], input: file.raw).end() == .exited(0))
    try ConnectedChild(["sh", "-c", ": >\(mark)"]).end()
    #expect(try lull.wholeLog("p") == "120000\n")
  }

  @Test func `several join at once, and each is told the end`() throws {
    _ = try runShell(lull)
    let screens = try (0..<3).map { _ in try Screen(lull, "attach", "p") }
    for screen in screens { try screen.see("joined p") }
    for screen in screens { try screen.see("prompt:") }
    try screens[0].type("echo sum=$((40 + 2))\r")
    for screen in screens { try screen.see("sum=42") }
    try screens[1].type("exit 3\r")
    for screen in screens {
      try screen.see("p has ended (status 3)")
      #expect(try screen.child.end() == .exited(3))
      #expect(try screen.isCooked())
    }
    #expect(try lull.run("attach", "p").errors == "lull: p does not run; \"lull start p\" starts it again\n")
  }

  @Test func `to join wakes nobody, and a key does`() throws {
    _ = try runShell(lull, options: ["--mode", "voip"])
    try journal.waitForSleep(of: "p")
    let screen = try Screen(lull, "attach", "p", size: .init(columns: 100, rows: 40))
    try screen.see("joined p")
    try screen.see("prompt:")
    #expect(try lull.state(of: "p") == "suspended")
    #expect(try lull.field(.wakes, of: "p") == "0")
    try screen.type("trap 'echo got int' INT; echo sum=$((40 + 2))\r")
    try screen.see("sum=42")
    try screen.type("\u{1D}")
    try journal.waitForSleep(of: "p")
    let again = try Screen(lull, "attach", "p")
    try again.see("joined p")
    try again.type("\u{3}")
    try again.see("got int")
  }

  @Test func `a program does not sleep from the first key to the last detach`() throws {
    _ = try runShell(lull, options: ["--mode", "voip"])
    try journal.waitForSleep(of: "p")
    let screens = try (0..<2).map { _ in try Screen(lull, "attach", "p") }
    for (number, screen) in screens.enumerated() {
      try screen.see("joined p")
      // Longer than a program in the background is awake.
      try screen.type("sleep 3; echo do$((\(number)))ne\r")
      try screen.see("do\(number)ne")
    }
    try screens[0].type("\u{1D}")
    try screens[0].see("left p")
    #expect(try lull.state(of: "p") == "active")
    try screens[1].type("\u{1D}")
    try journal.waitForSleep(of: "p")
  }

  @Test(.tags(.faults)) func `who is attached is in the foreground of the next daemon, too`() throws {
    _ = try runShell(lull, options: ["--mode", "voip"])
    try journal.waitForSleep(of: "p")
    let screen = try Screen(lull, "attach", "p")
    try screen.see("joined p")
    try screen.type("echo sum=$((40 + 2))\r")
    try screen.see("sum=42")
    try lull.kill()
    let next = try lull.journal()
    try eventually("p is not in the foreground again") { try lull.state(of: "p") == "active" }
    try screen.type("\u{1D}")
    try next.waitForSleep(of: "p")
  }

  @Test func `who joins sees what this life has written`() throws {
    let first = try lull.runDetached("p", ["sh", "-c", "echo life $$; exec sleep 1000"], options: ["--tty"])
    let log = try lull.follow("p")
    #expect(try log.output.line { $0.hasPrefix("life ") }.hasPrefix("life \(first)"))
    #expect(try lull.run("restart", "p").status == .exited(0))
    let second = try lull.field(.pids, of: "p")
    let screen = try Screen(lull, "attach", "p")
    let before = try screen.see("life \(second)")
    #expect(!before.contains("life"), "\(before)")
  }

  @Test func `without a terminal the output is shown`() throws {
    let fifo = "\(lull.sandbox.directory)/fifo"
    try #require(try ConnectedChild(["mkfifo", fifo]).end() == .exited(0))
    let pid = try lull.runDetached("p", ["sh", "-c", "read line <\(fifo); echo $line; exit 4"])
    let attached = try lull.start(["attach", "p"])
    let keeper = try lull.keeper(of: pid)
    try lull.waitForClients(1, of: keeper)
    try #require(try ConnectedChild(["sh", "-c", "echo hello >\(fifo)"]).end() == .exited(0))
    #expect(try attached.output.untilEnd() == "hello\n")
    #expect(try attached.errors.untilEnd() == "lull: p has ended (status 4)\n")
    #expect(try attached.end() == .exited(4))
  }

  @Test func `names that cannot be joined are one line`() throws {
    let run = try lull.start(["run", "--name", "here", "--", "sh", "-c", "echo ready; exec sleep 1000"])
    _ = try run.output.line()
    #expect(
      try lull.run("attach", "here").errors
        == "lull: here is not a program of \"lull run --detach\": its output is where it was started\n")
    let undetached = #"no detached program "nobody"; see "lull status" and "lull list""#
    let unstartable = #"no program "nobody" to start; "lull list" lists them, "lull install" adds one"#
    let refusals = [
      "attach": undetached, "logs": undetached, "start": unstartable, "restart": unstartable,
    ]
    for (verb, unknown) in refusals {
      let texts = ["nobody": unknown, "../x": noName("../x"), "a b": noName("a b")]
      for (name, text) in texts {
        let result = try lull.run(verb, name)
        #expect(result.status == .exited(1))
        #expect(result.errors == "lull: \(text)\n")
      }
    }
  }

  private func noName(_ name: String) -> String {
    "no program can be called \"\(name)\"; \"lull status\" lists them"
  }
}

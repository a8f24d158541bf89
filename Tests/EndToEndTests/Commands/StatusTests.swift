import LullSystem
import LullWire
import TestSupport
import Testing

/// `lull status` as a user sees it.
@Suite(.bounded) struct StatusTests {
  private let lull: Lull
  private let journal: Journal

  init() throws {
    lull = try Lull()
    journal = try lull.journal()
  }

  @Test func `watch redraws when something happens, and leaves the terminal as it was`() throws {
    let (puppet, peer) = try Puppet.sleeping(lull, journal)
    let screen = try Screen(lull, "status", "--watch")
    let first = try screen.text(with: "suspended")
    #expect(first.contains(Screen.enter))
    try peer.send("hello")
    #expect(try puppet.bytes() == "hello")
    _ = try screen.text(with: "s ago: data")
    try screen.terminal.control("C")
    #expect(try screen.text(with: Screen.leave).contains("\u{1B}[?25h"))
    #expect(try screen.child.end() == .exited(0))
  }

  @Test func `q ends watch, and Ctrl-Z does not stop one that nobody would continue`() throws {
    let screen = try Screen(lull, "status", "--watch")
    _ = try screen.text(with: "No program")
    try screen.terminal.control("Z")
    _ = try screen.text(with: Screen.leave + Screen.enter)
    try screen.type("x")
    try screen.type("q")
    _ = try screen.text(with: Screen.leave)
    #expect(try screen.child.end() == .exited(0))
  }

  @Test func `one program has a page with its process, its command and the end of its log`() throws {
    let pid = try lull.runDetached(
      "p", ["sh", "-c", "echo one; echo two; echo three; echo four; exec cat"],
      options: ["--mode", "voip", "--stdin", "open"])
    try journal.waitForSleep(of: "p")
    let page = try lull.run("status", "p")
    #expect(page.status == .exited(0))
    let rows = page.output.split(separator: "\n").map { row in
      row.split(separator: " ").joined(separator: " ")
    }
    for row in ["p is asleep", "state suspended", "pid \(pid)", "command cat", "modes voip", "log two"] {
      #expect(rows.contains(row), "no \(row) in \(page.output)")
    }
    #expect(rows.contains { $0.hasPrefix("since 2") && $0.hasSuffix(" ago") }, "\(page.output)")
    #expect(rows.suffix(2) == ["three", "four"], "\(page.output)")
    #expect(try lull.run("status", "p", "--quiet").output == "p\n")
  }

  @Test func `a signal that waits for a sleeper is told until it wakes`() throws {
    let script = "trap 'echo got' TERM; echo ready; read line; exec sleep 1000"
    let pid = try lull.runDetached(
      "p", ["sh", "-c", script], options: ["--mode", "voip", "--stdin", "open"])
    try journal.waitForSleep(of: "p")
    try Process.kill(pid, Signal.terminate)
    let sentence = "SIGTERM waits for its next wake; \"lull wake p\" lets it take it\n"
    for answer in [try lull.run("why", "p").output, try lull.run("status", "p").output] {
      #expect(answer.contains(sentence), "\(answer)")
    }
    #expect(try lull.run("why", "p", "--json").output.contains("\"SIGTERM\""))
    #expect(try lull.run("wake", "p").status == .exited(0))
    let log = try lull.follow("p")
    _ = try log.output.line { $0 == "got" }
    #expect(try !lull.run("why", "p").output.contains("SIGTERM waits"))
  }

  @Test func `watch fits a terminal that becomes narrow`() throws {
    let (puppet, _) = try Puppet.sleeping(lull, lull.journal())
    let screen = try Screen(lull, "status", "--watch", puppet.name)
    #expect(Screen.rows(try screen.text(with: "LINES")).allSatisfy { $0.count <= 80 })
    try screen.terminal.setSize(.init(columns: 30, rows: 24))
    let narrow = Screen.rows(try screen.text(with: "puppet"))
    #expect(narrow.allSatisfy { $0.count <= 30 }, "\(narrow)")
  }

  @Test func `watch goes on with a daemon that was restarted`() throws {
    let screen = try Screen(lull, "status", "--watch")
    _ = try screen.text(with: "No program")
    try lull.kill()
    _ = try screen.text(with: "restarts 1")
    try screen.child.signal(Signal.terminate)
    _ = try screen.text(with: Screen.leave)
    #expect(try screen.child.end() == .exited(128 + Signal.terminate))
  }

  @Test func `a message is broken at blanks on a terminal, and is one line elsewhere`() throws {
    let name = String(repeating: "n", count: 64)
    let screen = try Screen(lull, "why", name)
    let rows = Screen.rows(try screen.text(with: "installed"))
    #expect(rows.count > 1 && rows.allSatisfy { $0.count <= 80 }, "\(rows)")
    #expect(try lull.run("why", name).errors.split(separator: "\n").count == 1)
  }

  @Test func `a program that has ended is remembered with how it ended`() throws {
    try lull.detach("nap")
    let pid = try #require(Int32(try lull.field(.pids, of: "nap")))
    try Process.kill(pid, Signal.terminate)
    _ = try journal.next(of: "nap", among: ["exited"])
    let one = try lull.run("status", "nap")
    #expect(one.output.wholeMatch(of: /nap: ended \(SIGTERM\) at [-0-9]+ [:0-9]+\n/) != nil, "\(one)")
    #expect(one.status == .exited(1))
    #expect(try lull.run("status", "--all").output.contains("\nnap "))
    #expect(try lull.run("status", "--all", "--quiet").output == "nap\n")
    let row = /No program runs under it.\n\nENDED .*\nnap +[-0-9]+ [:0-9]+ +ended \(SIGTERM\)\n/
    #expect(try lull.run("status").output.contains(row))
    #expect(try lull.run("status", "--quiet").output == "")
    let puppet = try Puppet.registered(lull)
    #expect(try !lull.run("status").output.contains("nap"))
    #expect(try lull.order("status name=\(puppet.name) all").all(.ended).isEmpty)
    #expect(try lull.run("status", "never").errors.hasPrefix("lull: no program \"never\""))
  }

  @Test func `bash completes the names of programs`() throws {
    let (puppet, _) = try Puppet.sleeping(lull, lull.journal())
    let script = """
      PATH=${0%/*}:$PATH
      source <(lull --generate-completion-script bash)
      for words in "wake p" "status p" "statu"; do
        COMP_LINE="lull $words" COMP_WORDS=(lull $words)
        COMP_POINT=${#COMP_LINE} COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
        _lull lull "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
        echo "${COMPREPLY[@]}"
      done
      """
    let words = try ["bash", "-c", script, Built.program("lull")]
    let shell = try ConnectedChild(words, environment: lull.environment)
    #expect(try shell.output.untilEnd() == "\(puppet.name)\n\(puppet.name)\nstatus\n")
  }
}

import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// The executable `notify` in the configuration folder, and `lull notifications --follow`.
@Suite(.bounded) struct NotifyHookTests {
  private let sandbox: Sandbox
  /// The test holds both ends of the pipe of the hook, which so never waits for a reader.
  private let pipe: DescriptorBox
  private let cat: ConnectedChild
  /// What the hook tells.
  private var told: Channel { cat.output }
  private var path: String { "\(sandbox.directory)/config/lull/notify" }

  init() throws {
    sandbox = try Sandbox()
    let path = "\(sandbox.directory)/told"
    try Kernel.check(unsafe mkfifo(path, 0o600))
    let ends = unsafe open(path, O_RDWR | O_CLOEXEC)
    try Kernel.check(ends)
    pipe = DescriptorBox(Descriptor(owning: ends))
    cat = try ConnectedChild(["cat", path])
  }

  /// A daemon with this hook, whose output is told.
  private func start(_ body: String, clockRate: Int = 1) throws -> Lull {
    try Files.makeDirectories("\(sandbox.directory)/config/lull")
    try Kernel.write("#!/bin/sh\nexec 1<>\(sandbox.directory)/told\n\(body)\n", to: path)
    try Kernel.check(unsafe chmod(path, 0o700))
    return try Lull(clockRate: clockRate, sandbox: sandbox)
  }

  private let report = """
    printf '%s|' "$LULL_EVENT" "$LULL_NOTIFICATION" "$LULL_PROGRAM" "$LULL_TITLE" "$LULL_BODY" \
      "$LULL_ACTION" "$LULL_CALL"; echo
    """

  @Test func `it is run for a call that is shown, and when it is withdrawn`() throws {
    let lull = try start(report)
    let puppet = try Puppet.awake(lull)
    try puppet.ask(#"present title=T body="a\u001b[31mb\nc" action=Answer sound=default call"#)
    #expect(try told.line() == #"shown|1|puppet|T|a\u{1B}[31mb\u{A}c|Answer|yes|"#)
    #expect(try lull.run("answer", "1", "dismiss").status == .exited(0))
    #expect(try told.line() == "withdrawn|1||||||")
  }

  @Test func `a call that goes on is no call that rings`() throws {
    let lull = try start(report)
    let puppet = try Puppet.awake(lull)
    try puppet.ask(#"present body="In a call" action="Hang up" call"#)
    #expect(try told.line() == "shown|1|puppet||In a call|Hang up||")
  }

  @Test func `an action with control characters is answered as the variable has it`() throws {
    let lull = try start(report)
    let puppet = try Puppet.awake(lull)
    try puppet.ask(#"present body=b action="a\u001b[1m""#)
    #expect(try told.line() == #"shown|1|puppet||b|a\u{1B}[1m||"#)
    #expect(try lull.run("answer", "1", #"a\u{1B}[1m"#).status == .exited(0))
    #expect(try puppet.notice(.action)[.action] == "a\u{1B}[1m")
  }

  @Test func `a follower goes on when lulld restarts, and tells nothing twice`() throws {
    let lull = try Lull()
    let puppet = try Puppet.awake(lull)
    let follower = try lull.start(["notifications", "--follow"])
    try puppet.ask("present body=first")
    try puppet.ask("present body=second")
    #expect(try follower.output.line() == "1  puppet  pending  first")
    #expect(try follower.output.line() == "2  puppet  pending  second")
    _ = try lull.kill()
    _ = try puppet.told("lost")
    let answer = try lull.run("answer", "1", "dismiss")
    #expect(answer.status == .exited(0), "\(answer)")
    #expect(try follower.output.line() == "1  withdrawn")
    try follower.signal(Signal.terminate)
    #expect(try follower.end() == .exited(0))
  }

  @Test func `one that fails is told in the log`() throws {
    let lull = try start("exit 3")
    let journal = try lull.journal()
    let puppet = try Puppet.awake(lull)
    try puppet.ask("present body=b")
    let entry = try journal.wait("notify-failed")
    #expect(entry[.detail]?.hasSuffix("/config/lull/notify error=\"status 3\"") == true, "\(entry)")
  }

  @Test func `of a flood one entry says how many were left out`() throws {
    let lull = try start("sleep 0.1")
    let journal = try lull.journal()
    let puppet = try Puppet.awake(lull)
    for _ in 1...300 { try puppet.ask("present body=b") }
    let entry = try journal.wait("notify-dropped")
    let number = entry[.detail].flatMap(Explanation.init)?.count
    #expect(try #require(number) > 50, "\(entry)")
    #expect(try lull.order("log").all(.entry).count { $0[.what] == "notify-dropped" } == 1)
  }

  @Test func `one that others may write is not run`() throws {
    let lull = try start(report)
    try Kernel.check(unsafe chmod(path, 0o722))
    let journal = try lull.journal()
    let puppet = try Puppet.awake(lull)
    try puppet.ask("present body=b")
    let entry = try journal.wait("notify-failed")
    #expect(entry[.detail]?.hasPrefix("hook-unsafe ") == true, "\(entry)")
  }

  @Test func `one that hangs is ended after 10 s, with what it has started`() throws {
    let lull = try start("sleep 1000 & echo $!; wait", clockRate: 10)
    let journal = try lull.journal()
    let puppet = try Puppet.awake(lull)
    try puppet.ask("present body=b")
    let sleeper = try #require(Int32(told.line()))
    let pidfd = try Process.pidfdOpen(sleeper)
    let entry = try journal.wait("notify-failed")
    #expect(entry[.detail]?.hasPrefix("hook-overdue seconds=10 ") == true, "\(entry)")
    try ready(pidfd.raw, .readable, "what the hook has started goes on")
  }

  @Test func `a follower sees what is shown and withdrawn, with nothing that steers its terminal`() throws {
    let lull = try Lull()
    let puppet = try Puppet.awake(lull)
    let follower = try lull.start(["notifications", "--follow"])
    let lines = try lull.start(["notifications", "--follow", "--json"])
    try puppet.ask(#"present body="first" action=Answer"#)
    #expect(try follower.output.line() == "1  puppet  pending  first  [Answer]")
    #expect(try lines.output.line().contains(#""body":"first""#))
    try puppet.ask(#"present body="a\u001b]0;x\u0007b" title="\u001b[2J" call"#)
    #expect(
      try follower.output.line() == #"2  puppet  pending, call  \u{1B}[2J: a\u{1B}]0;x\u{7}b"#)
    #expect(try lines.output.line().contains(#""call":true"#))
    #expect(try lull.run("answer", "1", "dismiss").status == .exited(0))
    #expect(try follower.output.line() == "1  withdrawn")
    #expect(try lines.output.line() == #"{"id":1,"state":"withdrawn"}"#)
  }
}

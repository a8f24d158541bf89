import LullModel
import LullSystem
import LullWire
import Testing

extension LullProcessTests {
  @Suite struct Queries {
    /// A daemon that answers every request with these text lines.
    private func answering(_ lines: [String]) -> Script {
      { _, client, _ in for line in lines { try client.say(line) } }
    }

    @Test func `status asks for one program`() throws {
      let outcome = try LullProcess.run(["status", "phone", "--json"], script: answering(Samples.status))
      #expect(outcome.requests == [.status(name: "phone")])
      #expect(outcome.output.hasPrefix("{\n  \"daemon\""))
    }

    @Test func `status without programs names what ended in the last ten minutes, each once`() throws {
      let now = Int(Clock.realtime() / 1_000_000_000)
      let ends = [("call", 5), ("call", 9), ("nap", 500), ("old", 610)]
      let items = ends.map { "item kind=ended name=\($0.0) at=\(now - $0.1) signal=15" }
      let script: Script = { request, client, _ in
        try client.say(Samples.daemon)
        guard case .status(_, all: true) = request else { return try client.say("ok count=1") }
        for item in items { try client.say(item) }
        try client.say("ok count=5")
      }
      let outcome = try LullProcess.run(["status"], script: script)
      #expect(outcome.requests == [.status(name: nil), .status(name: nil, all: true)])
      let rows = outcome.output.split(separator: "\n").drop { !$0.hasPrefix("ENDED") }.dropFirst()
      #expect(rows.map { $0.prefix { $0 != " " } } == ["call", "nap"], "\(outcome.output)")
      #expect(outcome.output.contains("\nNo program runs under it.\n"))
      #expect(rows.first?.hasSuffix("  ended (SIGTERM)") == true)
      #expect(outcome.status == .exited(0))
      let json = try LullProcess.run(["status", "--json"], script: script).output
      #expect(json.contains("\"name\" : \"nap\"") && !json.contains("\"old\""))
      #expect(try LullProcess.run(["status", "-q"], script: script).output == "")
    }

    @Test func `watch asks once for what happened in between, and nothing while nothing happens`() throws {
      var asked = 0
      let event = "event entry at=1 program=phone what=woke"
      let outcome = try LullProcess.run(["status", "--watch", "--json"]) { request, client, _ in
        guard case .status = request else { return try client.say("ok count=0") }
        asked += 1
        guard asked < 3 else { return try client.say("error code=refused message=enough") }
        for line in Samples.status { try client.say(line) }
        for _ in 1...5 { try client.say(event) }
      }
      let questions = Array(repeating: Request.status(name: nil), count: 3)
      #expect(outcome.requests == [.log(follow: true, last: 0)] + questions)
      #expect(outcome.errors == "lull: enough\n")
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines.allSatisfy { $0.hasPrefix("{\"daemon\":{") })
    }

    @Test func `a question is asked again of the daemon that comes after one that died`() throws {
      var deaths = 0
      let outcome = try LullProcess.run(["status", "-q"]) { _, client, _ in
        deaths += 1
        guard deaths > 9 else { return client.close() }
        for line in Samples.status { try client.say(line) }
      }
      #expect(outcome.status == .exited(0))
      #expect(outcome.output == "clock\nphone\n")
      #expect(outcome.errors == "")
    }

    @Test func `what is not to be done twice is asked once of a daemon that hangs up, in one line`() throws {
      let outcome = try LullProcess.run(["signal", "a", "TERM"]) { _, client, _ in client.close() }
      #expect(outcome.requests.count == 1)
      #expect(outcome.status == .exited(1))
      #expect(outcome.errors.hasPrefix("lull: the daemon closed the connection"))
    }

    @Test func `a daemon that does not answer is given up after 5 s`() throws {
      let start = Clock.boottime()
      let outcome = try LullProcess.run(["status"]) { _, client, _ in try client.say(Samples.daemon) }
      #expect(outcome.status == .exited(1))
      #expect(outcome.errors == "lull: the daemon does not answer (waited 5 s)\n")
      #expect(Clock.boottime() - start >= 5_000_000_000)
    }

    @Test func `an answer that is none is told in one line`() throws {
      for line in ["gibberish=", "perhaps", "item kind=daemon pid=x\nok count=1"] {
        let outcome = try LullProcess.run(["status"], script: answering([line]))
        #expect(outcome.status == .exited(1))
        #expect(outcome.errors.hasPrefix("lull: the daemon's answer cannot be read ("))
      }
    }

    @Test func `a program with many lines is summed up, and listed with all`() throws {
      let lines = (1...65).map {
        "item kind=line program=web id=\($0) line=\($0 == 1 ? "tcp-listen" : "tcp") local=\"\" peer=\"\""
      }
      let few = "item kind=line program=sip id=70 line=udp local=127.0.0.1:5060 peer=\"\""
      let answer = answering(lines + [few, "ok count=66"])
      let outcome = try LullProcess.run(["lines"], script: answer)
      #expect(outcome.requests == [.lines(name: nil, all: false)])
      #expect(
        outcome.output == """
          LINE  PROGRAM  KIND  LOCAL           PEER  UNREAD  OFFLOAD  ANSWERED
            70  sip      udp   127.0.0.1:5060  -          -  -               -

          PROGRAM  LINES
          web      65 connections: 64 tcp, 1 tcp-listen
          "lull lines NAME --all" lists them.

          """)
      let all = try LullProcess.run(["lines", "--all"], script: answer)
      #expect(all.requests == [.lines(name: nil, all: true)])
      #expect(all.output.split(separator: "\n").count == 67)
    }

    @Test func `the version is told by every command`() throws {
      let version = try LullProcess.run(["--version"]).output
      #expect(version.hasPrefix("lull "))
      for command in LullProcess.commands + ["keep"] {
        let outcome = try LullProcess.run([command, "--version"])
        #expect(outcome.status == .exited(0), "\(command)")
        #expect(outcome.output == version, "\(command)")
      }
    }

    @Test func `the names of programs are completed`() throws {
      let outcome = try LullProcess.run(
        ["---completion", "wake", "--", "positional@0", "2", "0", "lull", "wake"],
        version: "9.9.9", script: answering(Samples.status))
      #expect(outcome.output.split(separator: "\n") == ["phone", "clock"])
      #expect(outcome.errors == "")
    }
  }
}

extension LullProcessTests {
  @Suite struct Log {
    private static let entry =
      "at=1767348672.345 program=phone what=woke cause=data line=7 detail=\"12 bytes\""

    private static let none =
      #""cause":null,"count":1,"detail":null,"earlier":false,"line":null,"peer":null"#

    @Test func `one program's entries since a time are asked for, and a greater number than there is`() throws
    {
      let arguments = ["log", "phone", "--since", "@1767348672.5", "--last", "99999999999", "--follow"]
      let outcome = try LullProcess.run(arguments) { _, client, _ in
        try client.say(
          "ok count=0", "event entry at=2 what=second program=other",
          "event entry at=2 what=third program=phone")
        client.close()
      }
      let since = Interval(nanoseconds: 1_767_348_672_500_000_000)
      #expect(outcome.requests == [.log(follow: true, last: 2_147_483_647, name: "phone", since: since)])
      #expect(outcome.output == "1970-01-01 00:00:02.000  phone  third\n")
    }

    @Test func `the help names the days that --since takes`() throws {
      for command in ["log", "wakes"] {
        let help = try LullProcess.run([command, "--help"]).output
        #expect(help.contains("yesterday"), "\(help)")
      }
    }

    @Test
    func `following goes on with notices, also with one that overtakes the reply, until the daemon ends`()
      throws
    {
      let outcome = try LullProcess.run(["log", "--follow", "--json"]) { _, client, _ in
        try client.say(
          "item kind=entry at=1 what=started", "event entry at=2 what=second", "ok count=1",
          "event entry \(Self.entry)")
        client.close()
      }
      #expect(outcome.requests == [.log(follow: true, last: nil)])
      #expect(outcome.status == .exited(1))
      #expect(outcome.errors.hasPrefix("lull: the daemon closed the connection"))
      #expect(
        outcome.output == """
          {"at":1,\(Self.none),"program":null,"waitedMicroseconds":null,"what":"started"}
          {"at":2,\(Self.none),"program":null,"waitedMicroseconds":null,"what":"second"}
          {"at":1767348672.345,"cause":"data","count":1,"detail":"12 bytes","earlier":false,"line":7,\
          "peer":null,"program":"phone","waitedMicroseconds":null,"what":"woke"}

          """)
    }
  }
}

extension LullProcessTests {
  @Suite struct Follow {
    @Test func `after a restart of the daemon only what is new is told, and what has gone`() throws {
      var connections = 0
      let outcome = try LullProcess.run(["notifications", "--follow"]) { _, client, _ in
        connections += 1
        switch connections {
        case 1:
          try client.say(
            "item kind=notification notification=1 program=p body=gone state=pending",
            "item kind=notification notification=2 program=p body=stays state=scheduled at=1767348672.5",
            "item kind=notification notification=3 program=p body=due state=scheduled at=1767348673",
            "ok count=3", "event notification notification=4 program=p body=new state=pending",
            "event withdrawn notification=4")
        case 2:
          try client.say(
            "item kind=notification notification=2 program=p body=stays state=scheduled at=1767348672.6",
            "item kind=notification notification=3 program=p body=due state=pending",
            "item kind=notification notification=5 program=p body=fifth state=pending", "ok count=3",
            "event withdrawn notification=2")
        default:
          return try client.say("error code=refused message=\"it was enough\"")
        }
        client.close()
      }
      #expect(outcome.requests == Array(repeating: .notifications(follow: true), count: 3))
      #expect(
        outcome.output == """
          1  p  pending  gone
          2  p  scheduled  at 2026-01-02 10:11:12.500  stays
          3  p  scheduled  at 2026-01-02 10:11:13.000  due
          4  p  pending  new
          4  withdrawn
          1  withdrawn
          3  p  pending  due
          5  p  pending  fifth
          2  withdrawn

          """)
      #expect(outcome.errors.contains("it was enough"), "\(outcome.errors)")
    }
  }
}

import LullSystem
import LullWire
import Testing

extension LullProcessTests {
  @Suite struct Queries {
    /// A daemon that answers every request with these text lines.
    private func answering(_ lines: [String]) -> Script {
      { _, client, _ in for line in lines { try client.say(line) } }
    }

    @Test func `status prints a table without colour when it is not on a terminal`() throws {
      let outcome = try LullProcess.run(["status"], script: answering(Samples.status))
      #expect(outcome.status == .exited(0))
      #expect(outcome.requests == [.status(name: nil)])
      #expect(outcome.output.hasPrefix("lulld 0.1.0, pid 42"))
      #expect(outcome.output.contains("\nphone  suspended"))
      #expect(!outcome.output.contains("\u{1B}"))
    }

    @Test func `status asks for one program`() throws {
      let outcome = try LullProcess.run(["status", "phone", "--json"], script: answering(Samples.status))
      #expect(outcome.requests == [.status(name: "phone")])
      #expect(outcome.output.hasPrefix("{\n  \"daemon\""))
    }

    @Test func `status quiet prints the names and nothing else`() throws {
      let outcome = try LullProcess.run(["status", "-q"], script: answering(Samples.status))
      #expect(outcome.output == "clock\nphone\n")
      let both = try LullProcess.run(["status", "--quiet", "--json"])
      #expect(both.status == .exited(64))
    }

    @Test func `status fits 80 columns without a terminal, and COLUMNS otherwise`() throws {
      let usual = try LullProcess.run(["status"], script: answering(Samples.status))
      #expect(usual.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
      #expect(!usual.output.contains("waited"))
      let wide = try LullProcess.run(
        ["status"], environment: ["COLUMNS=200"], script: answering(Samples.status))
      #expect(wide.output.contains("2 min 5 s ago: data on line 7 (waited 31 us)"))
    }

    @Test func `lines are whole without a terminal`() throws {
      let address = "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535"
      let item = "item kind=line program=phone id=1 line=tcp local=\(address) peer=\(address) unread=4321"
      let script = answering([item, "ok count=1"])
      let whole = try LullProcess.run(["lines"], script: script)
      #expect(whole.output.contains("  \(address)  \(address)    4321"), "\(whole.output)")
      let narrow = try LullProcess.run(["lines"], environment: ["COLUMNS=80"], script: script)
      #expect(narrow.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(narrow.output)")
    }

    @Test func `status tells how a program has ended, with status 1`() throws {
      let ended = "item kind=ended name=call at=1767348672.345 signal=15"
      let script: Script = { request, client, _ in
        if case .status(_, all: true) = request {
          try client.say(Samples.daemon, ended, "ok count=2")
        } else {
          try client.say("error code=no-such-program message=\"no program \\\"call\\\"\"")
        }
      }
      let outcome = try LullProcess.run(["status", "call"], script: script)
      #expect(outcome.requests == [.status(name: "call"), .status(name: "call", all: true)])
      #expect(outcome.output == "call: ended (SIGTERM) at 2026-01-02 10:11:12\n")
      #expect(outcome.status == .exited(1))
      let json = try LullProcess.run(["status", "call", "--json"], script: script)
      #expect(json.output.contains("\"name\" : \"call\""))
      let quiet = try LullProcess.run(["status", "call", "-q"], script: script)
      #expect(quiet.output == "")
      let all = try LullProcess.run(["status", "--all"], script: script)
      #expect(all.requests == [.status(name: nil, all: true)])
      #expect(all.output.contains("\nENDED  AT                   HOW\n"))
      #expect(all.output.hasSuffix("\ncall   2026-01-02 10:11:12  ended (SIGTERM)\n"))
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

    @Test func `watch needs a terminal, or JSON`() throws {
      let outcome = try LullProcess.run(["status", "--watch"], script: answering(Samples.status))
      #expect(outcome.status == .exited(64))
      #expect(outcome.errors.hasPrefix("lull: --watch: standard output is no terminal"))
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

    @Test func `a refusal is one line and status 1`() throws {
      let refusal = "error code=no-such-program message=\"no program is called \\\"x\\u001b\\\"\""
      let outcome = try LullProcess.run(["wake", "x"], script: answering([refusal]))
      #expect(outcome.status == .exited(1))
      #expect(outcome.output == "")
      #expect(outcome.errors == "lull: no program is called \"x\\u{1B}\"\n")
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

    @Test func `answer sends the action`() throws {
      let outcome = try LullProcess.run(["answer", "3", "Take it"], script: answering(["ok name=phone"]))
      #expect(outcome.requests == [.answer(notification: NotificationID(3), action: "Take it")])
      #expect(outcome.output == "phone: Take it\n")
    }

    @Test func `why asks for the state and the reasons`() throws {
      let outcome = try LullProcess.run(["why", "phone"]) { request, client, _ in
        guard case .why = request else {
          for line in Samples.status { try client.say(line) }
          return
        }
        try client.say("item kind=lease program=phone lease=keepalive endsInSeconds=3", "ok count=1")
      }
      #expect(outcome.requests == [.status(name: "phone"), .why(name: "phone")])
      #expect(outcome.output == "phone is asleep\n  its keep-alive runs, for 3 s at most\n")
    }

    @Test func `why and doctor can be read by programs`() throws {
      let outcome = try LullProcess.run(["why", "phone", "--json"]) { request, client, _ in
        guard case .why = request else {
          for line in Samples.status { try client.say(line) }
          return
        }
        try client.say(
          "item kind=sleep program=phone agoSeconds=0.5 refused=unread detail=\"line 7\"",
          "item kind=remark program=phone text=\"so it is\"", "ok count=2")
      }
      for part in [
        "{\n  \"lastWake\" : null,", "\"leases\" : [", "\"name\" : \"phone\"", "\"ownTimer\" : null",
        "\"reason\" : \"unread\"", "\"so it is\"", "\"sleptSecondsAgo\" : 0.5", "\"state\" : \"suspended\"",
      ] { #expect(outcome.output.contains(part), "\(part) is not in \(outcome.output)") }
      let doctor = try LullProcess.run(["doctor", "--json"])
      #expect(doctor.output.hasPrefix("[\n  {\n    \"detail\" : "))
      #expect(doctor.output.contains("\"name\" : \"runtime-directory\",\n    \"result\" : \"yes\""))
    }

    @Test func `lines are listed`() throws {
      let lines = [
        "item kind=line program=phone id=7 line=tcp local=127.0.0.1:5 peer=127.0.0.1:6"
          + " unread=12 offload=line,crlf answered=4", "ok count=1",
      ]
      let outcome = try LullProcess.run(["lines"], script: answering(lines))
      #expect(
        outcome.output == """
          LINE  PROGRAM  KIND  LOCAL        PEER         UNREAD  OFFLOAD    ANSWERED
             7  phone    tcp   127.0.0.1:5  127.0.0.1:6      12  line,crlf         4

          """)
      let none = try LullProcess.run(["lines", "phone", "--json"], script: answering(["ok count=0"]))
      #expect(none.requests == [.lines(name: "phone", all: false)])
      #expect(none.output == "[\n\n]\n")
    }

    @Test func `the holder and the note of a line have columns when a line has them`() throws {
      let lines = [
        "item kind=line program=sip id=2 line=udp local=127.0.0.1:5060 peer=\"\" unread=0 pid=4710 fd=9",
        "item kind=line program=sip id=3 line=tcp local=127.0.0.1:5 peer=127.0.0.1:6 unread=12 pid=4712 fd=31"
          + " disregarded",
        "item kind=line program=phone id=7 line=tcp local=127.0.0.1:7 peer=127.0.0.1:6", "ok count=3",
      ]
      let outcome = try LullProcess.run(["lines"], script: answering(lines))
      #expect(
        outcome.output == """
          LINE  PROGRAM  KIND  LOCAL           PEER         UNREAD  OFFLOAD  ANSWERED  PID/FD   NOTE
             2  sip      udp   127.0.0.1:5060  -                 0  -               -  4710/9   -
             3  sip      tcp   127.0.0.1:5     127.0.0.1:6      12  -               -  4712/31  disregarded
             7  phone    tcp   127.0.0.1:7     127.0.0.1:6       -  -               -  -        -

          """)
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

    @Test func `a set has one line with the number of its connections`() throws {
      let set = "item kind=line program=web id=2 line=set connections=1000 local=epoll peer=\"\" pid=47 fd=5"
      let outcome = try LullProcess.run(["lines"], script: answering([set, "ok count=1"]))
      #expect(
        outcome.output == """
          LINE  PROGRAM  KIND  LOCAL    PEER               UNREAD  OFFLOAD  ANSWERED  PID/FD
             2  web      set   epoll 5  1,000 connections       -  -               -  47/5

          """)
    }

    @Test func `notifications are listed with their times`() throws {
      let lines = [
        "item kind=notification notification=3 program=phone body=\"New VOIP call\" action=Answer"
          + " state=pending",
        "item kind=notification notification=4 program=clock body=Tea title=Kitchen state=scheduled"
          + " at=1767348672.345 repeat=3600", "ok count=2",
      ]
      let outcome = try LullProcess.run(["notifications"], script: answering(lines))
      #expect(outcome.requests == [.notifications(follow: false)])
      #expect(
        outcome.output == """
          ID  PROGRAM  STATE      AT           REPEATS    ACTION  TEXT
           3  phone    pending    -            -          Answer  New VOIP call
           4  clock    scheduled  01-02 10:11  every 1 h  -       Kitchen: Tea

          """)
    }

    @Test func `a repeat by the calendar is told with its zone`() throws {
      let lines = [
        "item kind=notification notification=4 program=clock body=Tea state=scheduled sound=default call"
          + " at=1767348672.345 repeat=month zone=Europe/Berlin", "ok count=1",
      ]
      let text = try LullProcess.run(["notifications"], script: answering(lines)).output
      #expect(text.contains("every month in Europe/Berlin"))
      let json = try LullProcess.run(["notifications", "--json"], script: answering(lines)).output
      for part in ["\"repeatUnit\" : \"month\"", "\"sound\" : \"default\"", "\"call\" : true"] {
        #expect(json.contains(part), "\(json)")
      }
    }

    @Test func `the sounds of notifications are turned off and on`() throws {
      let on = try LullProcess.run(["quiet", "on"], script: answering(["ok on=yes"]))
      #expect(on.requests == [.quiet(on: .yes)])
      #expect(on.output == "on: notifications make no sound\n")
      let asked = try LullProcess.run(["quiet"], script: answering(["ok on=no"]))
      #expect(asked.requests == [.quiet()])
      #expect(asked.output == "off: notifications make their sounds\n")
      #expect(try LullProcess.run(["quiet", "perhaps"]).status == .exited(64))
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

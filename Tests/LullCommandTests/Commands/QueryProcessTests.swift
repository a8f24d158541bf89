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

    @Test func `a refusal is one line and status 1`() throws {
      let refusal = "error code=no-such-program message=\"no program is called \\\"x\\u001b\\\"\""
      let outcome = try LullProcess.run(["wake", "x"], script: answering([refusal]))
      #expect(outcome.status == .exited(1))
      #expect(outcome.output == "")
      #expect(outcome.errors == "lull: no program is called \"x\\u{1B}\"\n")
    }

    @Test func `a daemon that hangs up is told in one line`() throws {
      let outcome = try LullProcess.run(["status"]) { _, client, _ in client.close() }
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

    @Test(arguments: [
      ("wake", Request.wake(name: "phone")), ("suspend", .suspend(name: "phone")),
      ("foreground", .foreground(name: "phone")), ("background", .background(name: "phone")),
      ("quit", .quit(name: "phone")),
    ])
    func `a control command sends its request and prints the new state`(verb: String, request: Request) throws
    {
      let outcome = try LullProcess.run([verb, "phone"], script: answering(["ok state=background"]))
      #expect(outcome.status == .exited(0))
      #expect(outcome.requests == [request])
      #expect(outcome.output == "phone: background\n")
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
          ID  PROGRAM  STATE      AT                       REPEATS    ACTION  TEXT
           3  phone    pending    -                        -          Answer  New VOIP call
           4  clock    scheduled  2026-01-02 10:11:12.345  every 1 h  -       Kitchen: Tea

          """)
    }

    @Test func `the names of programs are completed`() throws {
      let outcome = try LullProcess.run(
        ["---completion", "wake", "--", "positional@0", "2", "0", "lull", "wake"],
        script: answering(Samples.status))
      #expect(outcome.output.split(separator: "\n") == ["phone", "clock"])
    }
  }
}

import LullModel
import LullSystem
import LullWire
import Testing

extension LullProcessTests {
  @Suite struct Log {
    private static let entry =
      "at=1767348672.345 program=phone what=woke cause=data line=7 detail=\"12 bytes\""

    private static let none =
      #""cause":null,"count":1,"detail":null,"earlier":false,"line":null,"peer":null"#

    @Test func `the journal is printed with the local time`() throws {
      let outcome = try LullProcess.run(["log", "--last", "2"]) { _, client, _ in
        try client.say(
          "item kind=entry \(Self.entry)", "item kind=entry at=1767348673 what=started", "ok count=2")
      }
      #expect(outcome.status == .exited(0))
      #expect(outcome.requests == [.log(follow: false, last: 2)])
      #expect(
        outcome.output == """
          2026-01-02 10:11:12.345  phone  woke (data), line 7: 12 bytes
          2026-01-02 10:11:13.000  lulld  started

          """)
    }

    @Test func `a wake with its sender and a refusal with its reason read well`() throws {
      let outcome = try LullProcess.run(["log"]) { _, client, _ in
        try client.say(
          "item kind=entry at=1767348672.345 program=phone what=woke cause=data line=2"
            + " detail=\"udp 127.0.0.1:5060 from 10.0.0.7:5090\"",
          "item kind=entry at=1767348673 program=phone what=freeze-refused cause=unread"
            + " detail=\"line 3, udp 127.0.0.1:5060, 120 bytes\"", "ok count=2")
      }
      #expect(
        outcome.output == """
          2026-01-02 10:11:12.345  phone  woke (data), line 2: udp 127.0.0.1:5060 from 10.0.0.7:5090
          2026-01-02 10:11:13.000  phone  freeze-refused (unread): line 3, udp 127.0.0.1:5060, 120 bytes

          """)
    }

    @Test func `an end has the words of status and why`() throws {
      let outcome = try LullProcess.run(["log"]) { _, client, _ in
        try client.say(
          "item kind=entry at=1 program=a what=exited cause=crashed detail=SIGSEGV",
          "item kind=entry at=2 program=b what=exited cause=exited detail=\"status 0\"",
          "item kind=entry at=3 program=c what=exited cause=quit detail=SIGTERM",
          "item kind=entry at=4 program=d what=exited", "ok count=4")
      }
      let ends = outcome.output.split(separator: "\n").map { $0.dropFirst(25) }
      #expect(
        ends == [
          "a  crashed (SIGSEGV)", "b  ended (status 0)", "c  quit (SIGTERM)", "d  ended (status unknown)",
        ])
    }

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

    @Test func `a time that is none is told, with what may stand there`() throws {
      let outcome = try LullProcess.run(["log", "--since", "x"])
      #expect(outcome.status == .exited(64))
      #expect(outcome.errors.contains("The value 'x' is invalid for '--since <time>'"))
      #expect(outcome.errors.contains("or boot."))
      #expect(outcome.errors.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(outcome.errors)")
    }

    @Test func `refusals that were summed up tell their number`() throws {
      let outcome = try LullProcess.run(["log", "--since", "boot"]) { _, client, _ in
        try client.say(
          "item kind=entry at=1 program=a what=freeze-refused cause=unread count=9", "ok count=1")
      }
      #expect(outcome.requests == [.log(follow: false, last: nil, boot: true)])
      #expect(outcome.output == "1970-01-01 00:00:01.000  a  freeze-refused (unread), 9 times\n")
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

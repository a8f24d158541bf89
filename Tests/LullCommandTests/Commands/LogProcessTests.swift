import LullSystem
import LullWire
import Testing

extension LullProcessTests {
  @Suite struct Log {
    private static let entry =
      "at=1767348672.345 program=phone what=woke cause=data line=7 detail=\"12 bytes\""

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
          {"at":1,"cause":null,"detail":null,"line":null,"program":null,"what":"started"}
          {"at":2,"cause":null,"detail":null,"line":null,"program":null,"what":"second"}
          {"at":1767348672.345,"cause":"data","detail":"12 bytes","line":7,"program":"phone","what":"woke"}

          """)
    }
  }
}

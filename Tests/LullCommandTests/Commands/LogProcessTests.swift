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

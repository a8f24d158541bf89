import LullWire
import Testing

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

import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct ScheduleTests {
  private func schedule(
    _ script: inout Script, _ date: FireDate, repeats: Int64? = nil, body: String = "alarm"
  ) -> [String] {
    let id = script.id("clock")
    let every = repeats.map { Repetition.every(.seconds($0)) }
    return script.ask(.schedule(id, LocalNotification(body: body), date, repeats: every))
  }

  /// A program in the background that sleeps.
  private func sleeper() -> Script {
    var script = Script()
    script.launched("clock")
    script.sendToBackground("clock")
    script.frozen("clock")
    return script
  }

  @Test func `one is shown when its time has come, without waking the program`() {
    var script = sleeper()
    script.command("clock", .wake)
    #expect(schedule(&script, .after(.seconds(100))) == ["ok, notification 1"])
    script.done("clock")
    script.frozen("clock")
    #expect(script.pass(to: 200) == ["100 s: show clock's 1, alarm"])
    #expect(script.state("clock") == .suspended)
  }

  @Test func `a repeat that is due when the one before is answered is shown all the same`() {
    var script = sleeper()
    script.command("clock", .wake)
    _ = schedule(&script, .after(.seconds(100)), repeats: 60)
    script.done("clock")
    script.frozen("clock")
    script.pass(to: 159)
    script.jump(to: 161)
    #expect(
      script.ask(.answer(NotificationID(1), action: "dismiss")) == [
        "ok", "withdraw 1", "show clock's 1, alarm",
      ])
  }

  @Test func `a repeat of less than 60 s is refused`() {
    var script = Script()
    script.launched("clock")
    _ = schedule(&script, .after(.seconds(1)), repeats: 59)
    #expect(script.refusal == .repeatTooShort(.seconds(59), minimum: .seconds(60)))
  }

  @Test func `128 can be scheduled; one more is refused until one is cancelled`() {
    var script = Script()
    script.launched("clock")
    for _ in 1...128 { _ = schedule(&script, .after(.seconds(100))) }
    #expect(schedule(&script, .after(.seconds(100))) == ["refused"])
    #expect(script.refusal == .tooManyNotifications(128))
    let id = script.id("clock")
    #expect(script.ask(.cancel(id, NotificationID(5))) == ["ok, 1"])
    #expect(schedule(&script, .after(.seconds(100))).first?.hasPrefix("ok") == true)
  }

  @Test func `cancel takes one or all, and knows only those of its own program`() {
    var script = Script()
    script.launched("clock")
    script.launched("other")
    for _ in 1...3 { _ = schedule(&script, .after(.seconds(100))) }
    let (clock, other) = (script.id("clock"), script.id("other"))
    #expect(script.ask(.cancel(other, NotificationID(1))) == ["refused"])
    #expect(script.refusal == .noSuchNotification(NotificationID(1)))
    #expect(script.ask(.cancel(other, nil)) == ["ok, 0"])
    #expect(script.ask(.cancel(clock, NotificationID(2))) == ["ok, 1"])
    #expect(script.ask(.cancel(clock, nil)) == ["ok, 2"])
    #expect(script.pass(to: 200) == [])
  }

  @Test func `the schedule outlives the program, and belongs to the next one of its name`() {
    var script = Script()
    script.launched("clock")
    _ = schedule(&script, .after(.seconds(100)))
    _ = schedule(&script, .after(.seconds(200)))
    script.feed(.exited(script.id("clock"), .exited(0)))
    #expect(script.pass(to: 150) == ["100 s: show clock's 1, alarm"])
    script.launched("clock")
    #expect(script.ask(.cancel(script.id("clock"), nil)) == ["ok, 2", "withdraw 1"])
    #expect(script.engine.notifications.isEmpty)
  }

  @Test func `a repeat of the machine's own zone keeps its time of day in another zone`() throws {
    var script = Script()
    script.launched("clock")
    let day: Int64 = 86_400_000_000_000
    let id = script.id("clock")
    let content = LocalNotification(body: "alarm")
    // 07:00 in UTC.
    let seven = 7 * day / 24
    _ = script.ask(.schedule(id, content, .wall(seven), repeats: .calendar(.day, .utc())))
    _ = script.ask(.schedule(id, content, .wall(seven), repeats: .calendar(.day, .utc(name: "UTC"))))
    let east = try #require(ZoneRules(name: nil, file: Self.zone(hoursEast: 3)))
    #expect(script.ask(.localZone(east)) == ["ok"])
    #expect(script.engine.notifications.map(\.fires) == [Moment(4 * 3600), Moment(7 * 3600)])
  }

  /// The file of a zone with one offset, and a rule for the years to come (RFC 8536).
  static func zone(hoursEast hours: Int, rule: String? = nil) -> [UInt8] {
    let header = Array("TZif2".utf8) + Array(repeating: 0, count: 15 + 20)
    let type: [UInt8] = [0, 0, UInt8(hours * 3600 >> 8), UInt8(hours * 3600 & 255), 0, 0]
    // The counts are of UT flags, standard flags, leap seconds, changes, types and characters.
    func part(_ types: UInt8) -> [UInt8] {
      Array(header.dropLast(4)) + [0, 0, 0, types, 0, 0, 0, 1] + type + [0]
    }
    return part(1) + part(1) + Array("\n\(rule ?? "X-\(hours)")\n".utf8)
  }

  @Test func `what is recorded is what the next engine needs`() {
    var script = Script()
    script.launched("clock")
    _ = schedule(&script, .after(.seconds(100)), repeats: 60)
    script.command("clock", .background)
    script.did("clock")
    script.did("clock")
    _ = script.pass(to: 101)
    let recorded = script.engine.allNotifications
    #expect(recorded.map { $0.fires == nil } == [true, false])
    var next = Script()
    for record in recorded { _ = next.ask(.restore(record)) }
    #expect(next.engine.allNotifications == recorded)
    next.launched("clock")
    let id = next.id("clock")
    let fresh = next.ask(.present(id, LocalNotification(body: "new")))
    #expect(fresh.first == "ok, notification 2")
  }
}

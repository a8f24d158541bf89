import LullSystem
import TestSupport
import Testing

@testable import LullDaemon
@testable import LullEngine

/// Notifications in the ledger.
@Suite(.bounded) struct NotificationEntryTests {
  private let clock = EngineClock(rate: 1, base: 0)

  private func record(_ id: UInt32) -> NotificationRecord {
    NotificationRecord(id: NotificationID(id), program: "clock", content: LocalNotification(body: "tea"))
  }

  private func again(_ record: NotificationRecord, isSameBoot: Bool = true) -> NotificationRecord {
    NotificationEntry(record, clock).record(clock, isSameBoot: isSameBoot) { try? ZoneRules.read($0) }
  }

  @Test func `every part of a notification comes back`() throws {
    var date = record(1)
    let second: Int64 = 1_000_000_000
    (date.fires, date.first) = (.wall(2_000_000_000 * second + 5), 1_900_000_000 * second)
    date.repeats = .calendar(.month, try ZoneRules.read("Europe/Berlin"))
    date.content = LocalNotification(
      body: "a \"b\"\n", title: "t", action: "Snooze", sound: .file("/a b.wav"), isCall: true)
    #expect(again(date) == date)
    var wait = record(2)
    (wait.fires, wait.repeats) = (.engine(Moment(nanoseconds: 77 * second)), .every(.seconds(60)))
    #expect(again(wait) == wait)
  }

  @Test func `after another start of the machine the date counts`() {
    var wait = record(2)
    wait.fires = .engine(Moment(nanoseconds: Clock.boottime() + 1000 * 1_000_000_000))
    guard case .wall(let date) = again(wait, isSameBoot: false).fires else {
      Issue.record("no date")
      return
    }
    #expect(abs(date - Clock.realtime() - 1000 * 1_000_000_000) < 100 * 1_000_000_000)
  }

  @Test func `the moment at which a notification was shown comes back, until the machine starts anew`() {
    var shown = record(1)
    shown.shown = clock.now()
    #expect(again(shown) == shown)
    #expect(again(shown, isSameBoot: false) == record(1))
  }
}

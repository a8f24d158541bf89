import LullEngine
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct JournalTests {
  private func filled(_ count: Int) -> Journal {
    let journal = Journal()
    for number in 0..<count { journal.note(at: Int64(number), program: nil, what: "n\(number)") }
    return journal
  }

  @Test func `the last entries come oldest first`() {
    let journal = filled(5)
    #expect(journal.last(3).map(\.what) == ["n2", "n3", "n4"])
    #expect(journal.last(0).isEmpty)
    #expect(journal.last(-1).isEmpty)
    #expect(journal.last(100).count == 5)
    #expect(Journal().last(10).isEmpty)
  }

  @Test(arguments: [2047, 2048, 2049, 3000, 4096, 5000])
  func `it keeps the newest ones and never more than it has room for`(count: Int) {
    let kept = filled(count).last(.max)
    #expect(kept.count == min(count, Journal.capacity))
    #expect(kept.map(\.at) == (max(0, count - Journal.capacity)..<count).map(Int64.init))
  }

  @Test func `an entry that was overwritten is gone, and one to come is not there yet`() {
    let journal = filled(2049)
    #expect(journal[0] == nil)
    #expect(journal[1]?.what == "n1")
    #expect(journal[2048]?.what == "n2048")
    #expect(journal[2049] == nil)
  }

  @Test func `each new entry is told once`() {
    let journal = filled(3)
    #expect(journal.untold().isEmpty)
    journal.follow()
    journal.note(at: 0, program: "phone", what: "woke", cause: "data", line: 7, detail: nil)
    #expect(journal.untold().map(\.what) == ["woke"])
    #expect(journal.untold().isEmpty)
  }

  @Test func `an entry is an item of the protocol`() throws {
    let entry = Journal.Entry(
      at: 1_700_000_000_123_456_789, program: "phone", what: "woke", cause: "data", line: 7, detail: "a b")
    let line = String(decoding: try entry.item.message.encoded(), as: UTF8.self)
    #expect(
      line
        == "item kind=entry at=1700000000.123456 program=phone what=woke cause=data line=7 detail=\"a b\"\n")
  }

  @Test func `refusals of one kind in a row are summed up, and nothing is lost`() {
    let journal = Journal()
    func refuse(_ program: String, _ cause: String, times: Int) {
      for number in 1...times {
        journal.note(
          at: Int64(number), program: program, what: "freeze-refused", cause: cause, detail: "\(number)")
      }
    }
    refuse("busy", "not-idle", times: 5000)
    refuse("other", "unread", times: 3)
    journal.note(at: 0, program: nil, what: "signal")
    #expect(journal.last(9).map(\.count) == [1, 9, 90, 900, 1, 1])
    #expect(journal.last(9).map(\.detail) == ["1", "10", "100", "1000", "1", nil])
    // Another kind, or anything else of that program, ends the row.
    refuse("busy", "unread", times: 2)
    journal.note(at: 0, program: "busy", what: "frozen")
    refuse("busy", "unread", times: 1)
    #expect(
      journal.last(5).map(\.what) == Array(repeating: "freeze-refused", count: 3) + [
        "frozen", "freeze-refused",
      ])
    #expect(journal.last(5).map(\.count) == [4000, 1, 1, 1, 1])
    #expect(journal.last(99).filter { $0.cause == "not-idle" }.reduce(0) { $0 + $1.count } == 5000)
  }

  @Test func `a sum is told at the moment at which it is told, behind what others have noted meanwhile`() {
    let journal = Journal()
    for moment in [1, 2, 4] as [Int64] {
      journal.note(at: moment, program: "busy", what: "freeze-refused", cause: "not-idle")
      journal.note(at: moment + 1, program: nil, what: "signal")
    }
    journal.note(at: 6, program: "busy", what: "frozen")
    #expect(journal.last(2).map(\.at) == [6, 6] && journal.last(2)[0].count == 2)
    #expect(journal.last(9).map(\.at) == journal.last(9).map(\.at).sorted())
  }

  @Test func `freezes that are taken back again and again are summed up too, apart from refusals`() {
    let journal = Journal()
    for what in ["freeze-taken-back", "freeze-refused"] {
      for number in 1...600 {
        journal.note(at: Int64(number), program: "phone", what: what, cause: "unread")
      }
    }
    journal.note(at: 0, program: "phone", what: "frozen")
    #expect(journal.last(99).map(\.count) == [1, 9, 90, 500, 1, 9, 90, 500, 1])
  }

  @Test func `a hook that fails ten thousand times leaves the journal to the others`() {
    let journal = filled(100)
    for number in 1...10_000 {
      journal.note(at: Int64(number), program: nil, what: "notify-failed", detail: "\(number)")
    }
    journal.note(at: 0, program: nil, what: "signal")
    let told = journal.last(.max).dropFirst(100)
    #expect(journal[0]?.what == "n0" && told.last?.what == "signal")
    #expect(told.dropLast().map(\.count) == Array(repeating: 1, count: 10) + [90, 900, 9000])
  }

  @Test func `ten thousand notifications leave the journal to the others`() {
    let journal = filled(100)
    for number in 1...10_000 {
      journal.note(at: Int64(number), program: "phone", what: "notification-shown", detail: "\(number)")
    }
    journal.note(at: 0, program: "phone", what: "frozen")
    let told = journal.last(.max).dropFirst(100)
    #expect(journal[0]?.what == "n0" && told.last?.what == "frozen")
    #expect(told.dropLast().map(\.count) == Array(repeating: 1, count: 10) + [90, 900, 9000])
    #expect(told.prefix(11).map(\.detail) == (1...10).map { "\($0)" } + ["100"])
  }

  @Test func `the last wake of a program is not that of another one of its name`() {
    let journal = Journal()
    journal.note(at: 1, program: "a", what: "woke", cause: "data")
    #expect(journal.last(["woke"], of: "a")?.at == 1)
    #expect(journal.last(["woke"], of: "b") == nil)
    journal.note(at: 2, program: "a", what: "exited")
    journal.note(at: 3, program: "a", what: "registered")
    #expect(journal.last(["woke"], of: "a") == nil)
    #expect(journal.hasEntries(of: "a") && !journal.hasEntries(of: "b"))
  }

  @Test func `every note has its word`() {
    let line = LineID(7)
    let task = TaskID(3)
    let notification = NotificationID(4)
    let notes: [(Note, String)] = [
      (.registered(name: "x"), "registered"), (.state(.active), "state"), (.frozen, "frozen"),
      (.freezeRefused(.timeout), "freeze-refused"), (.freezeTakenBack(.data), "freeze-taken-back"),
      (.woke(.data, line), "woke"), (.wakeDelayed(line, .seconds(5)), "wake-delayed"),
      (.leaseEnded(.wake, overrun: true), "lease-ended"), (.lineHeld(line, "tcp"), "line-held"),
      (.lineReleased(line), "line-released"), (.lineLost(line), "line-lost"),
      (.pingAnswered(line), "ping-answered"), (.keepAliveSet(.seconds(600)), "keepalive-set"),
      (.keepAliveRan, "keepalive-ran"), (.fetchSet(nil), "fetch-set"), (.fetchRan, "fetch-ran"),
      (.errandEnded(.fetch, .newData, after: .seconds(1)), "fetch-ended"), (.pushTold, "push-told"),
      (.errandEnded(.push, nil, after: .seconds(1)), "push-ended"), (.fetchDue(name: "x"), "fetch-due"),
      (.taskBegan(task), "task-began"), (.taskEnded(task), "task-ended"),
      (.taskExpired(task), "task-expired"), (.notificationShown(notification), "notification-shown"),
      (.notificationScheduled(notification), "notification-scheduled"),
      (.notificationAnswered(notification, "Answer"), "notification-answered"),
      (.overBudget(wakes: 16), "over-wake-budget"), (.killed(.quit), "killed"),
      (.limitStands, "limit-stands"),
      (.exited(.signaled(9)), "exited"), (.left, "left"), (.pressure(.warning), "memory-short"),
      (.pressureStays(.critical), "memory-short"), (.pressureRelieved, "memory-relieved"),
      (.purged(held: 1024, isAsked: false), "purged"), (.accessories([]), "accessory"),
    ]
    for (note, word) in notes { #expect(note.words.what == word) }
    #expect(Note.woke(.data, line).words.cause == "data")
    #expect(Note.woke(.data, line).words.line == line)
    #expect(Note.exited(.signaled(9)).words.detail == "SIGKILL")
    #expect(Note.exited(.unknown).words.detail == nil)
    #expect(Note.keepAliveSet(nil).words.detail == "cleared")
    #expect(Note.accessories([Accessory(.usb), Accessory(.tty, vendor: 7)]).words.detail == "usb tty:0007")
    #expect(Note.purged(held: 1024, isAsked: true).words.detail == "purge-asked bytes=1024")
  }
}

extension Journal {
  /// The last entries, oldest first.
  fileprivate func last(_ wanted: Int) -> [Entry] { numbers(last: wanted).compactMap { self[$0] } }
}

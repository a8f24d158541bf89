import Glibc
import LullChannel
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon
@testable import LullEngine

/// Notifications that outlive lulld, and the machine.
@Suite(.bounded) struct KeptNotificationTests {
  private let folder: TemporaryDirectory
  private let clock = EngineClock(rate: 1, base: 0)
  private var directory: String { "\(folder.path)/lull" }

  init() throws { folder = try TemporaryDirectory() }

  private func record(_ id: UInt32, _ body: String = "tea") -> NotificationRecord {
    NotificationRecord(id: NotificationID(id), program: "clock", content: LocalNotification(body: body))
  }

  /// An engine that has these notifications.
  private func engine(_ records: [NotificationRecord]) -> Engine {
    var engine = Engine()
    var effects: [Effect] = []
    for record in records {
      _ = engine.handle(.restore(record), at: Moment(nanoseconds: 0), effects: &effects)
    }
    return engine
  }

  private func written(_ records: [NotificationRecord]) -> [NotificationRecord] {
    let file = NotificationFile(directory: directory, Journal())
    file.changed()
    file.finish(engine(records)) { KeptNotification($0, clock) }
    return NotificationFile(directory: directory, Journal()).read()
      .map { $0.record(clock, isSameBoot: $1) }
  }

  @Test func `every part of a notification comes back from the disk`() throws {
    var date = record(1)
    let second: Int64 = 1_000_000_000
    (date.fires, date.first) = (.wall(2_000_000_000 * second + 5), 1_900_000_000 * second)
    date.repeats = .calendar(.month, try ZoneRules.read("Europe/Berlin"))
    date.content = LocalNotification(
      body: "a \"b\"\n", title: "t", action: "Snooze", sound: .file("/a b.wav"), isCall: true)
    var wait = record(2)
    (wait.fires, wait.repeats) = (.engine(Moment(nanoseconds: 77 * second)), .every(.seconds(60)))
    #expect(written([date, wait, record(3)]) == [record(3), date, wait])
  }

  @Test func `a shown call is not written, and after another start of the machine the date counts`() throws {
    var call = record(1)
    call.content.isCall = true
    var wait = record(2)
    wait.fires = .engine(Moment(nanoseconds: Clock.boottime() + 1000 * 1_000_000_000))
    #expect(written([call, wait]) == [wait])
    let bytes = try Files.readOwn("\(directory)/notifications", limit: 1 << 16)
    let (kept, isSameBoot) = try #require(NotificationFile.read(bytes, boot: "another").first)
    #expect(!isSameBoot)
    guard case .wall(let date) = kept.record(clock, isSameBoot: false).fires else {
      Issue.record("no date")
      return
    }
    #expect(abs(date - Clock.realtime() - 1000 * 1_000_000_000) < 100 * 1_000_000_000)
  }

  @Test func `the moment at which a notification was shown comes back, until the machine starts anew`() {
    var shown = record(1)
    shown.shown = clock.now()
    let kept = KeptNotification(shown, clock)
    #expect(kept.record(clock) == shown)
    #expect(kept.record(clock, isSameBoot: false) == record(1))
  }

  @Test func `what is no line of the file is passed over`() throws {
    _ = written([record(1)])
    let good = try Files.readOwn("\(directory)/notifications", limit: 1 << 16)
    #expect(NotificationFile.read(good + Array("keep notification=2 pro".utf8), boot: nil).count == 1)
    #expect(NotificationFile.read(Array("\0\0keep\nkeep\nnonsense a=1\n".utf8) + good, boot: nil).count == 1)
    #expect(NotificationFile.read(Array(good.dropLast(good.count / 3)), boot: nil).count <= 1)
  }

  @Test func `a place that cannot be written is said once`() throws {
    try Files.replace(directory, with: [])
    let journal = Journal()
    let file = NotificationFile(directory: directory, journal)
    for _ in 0..<2 {
      file.changed()
      file.finish(engine([record(1)])) { KeptNotification($0, clock) }
    }
    #expect(journal.numbers(last: .max).compactMap { journal[$0]?.what } == ["notifications-unwritten"])
  }

  @Test func `without a place for it nothing is ever due`() {
    let file = NotificationFile(directory: nil, Journal())
    file.changed()
    #expect(file.deadline == nil)
  }

  @Test func `a write that failed is tried again, also at the end`() throws {
    try Files.makeDirectories(directory)
    let journal = Journal()
    let file = NotificationFile(directory: directory, journal)
    let path = "\(directory)/notifications"
    // A folder in its place: the rename fails, in the thread.
    try Files.makeDirectory(path)
    func describe(_ record: NotificationRecord) -> KeptNotification { KeptNotification(record, clock) }
    file.changed()
    file.write(engine([record(1)]), at: 0, describe)
    try eventually("the failure is not asked for") {
      if let deadline = file.deadline { file.write(engine([record(1)]), at: deadline, describe) }
      return journal.numbers(last: .max).contains { journal[$0]?.what == "notifications-unwritten" }
    }
    #expect(file.deadline != nil)
    #expect(unsafe rmdir(path) == 0)
    file.finish(engine([record(1)]), describe)
    #expect(file.deadline != nil)
    #expect(file.read().count == 1)
  }

  @Test func `the guard knows that it was told, also when nothing is left`() {
    let store = NotificationStore()
    #expect(!store.isTold)
    store.take(.keep, Message(.keep).adding(.notification, 1).adding(.state, "pending"))
    store.take(.drop, Message(.drop).adding(.notification, 1).adding(.state, "pending"))
    #expect(store.isTold)
    let renewed = NotificationStore()
    renewed.clear()
    #expect(renewed.isTold)
  }

  @Test func `the guard hands over what is kept, in order, each once`() throws {
    let (one, other) = try UnixSocket.pair()
    let (here, there) = (MessageChannel(guardLink: one), MessageChannel(guardLink: other))
    let store = NotificationStore()
    func message(_ id: Int, _ state: String, body: String = "tea") -> Message {
      Message(.keep).adding(.notification, id).adding(.program, "clock").adding(.body, body)
        .adding(.state, state)
    }
    for (id, state) in [(1, "pending"), (2, "scheduled"), (2, "pending"), (3, "pending")] {
      store.take(.keep, message(id, state))
    }
    store.take(.keep, message(1, "pending", body: "cake"))
    store.take(.drop, Message(.drop).adding(.notification, 3).adding(.state, "pending"))
    store.restore(over: there)
    there.flush()
    var buffer = ReceiveBuffer(capacity: 1 << 16)
    let received = here.receiveAll(&buffer)
    let came = try #require(received).map(\.0)
    #expect(came == [message(2, "scheduled"), message(2, "pending"), message(1, "pending", body: "cake")])
    #expect(try KeptNotification(came[2]).content.body == "cake")
  }

  @Test func `notifications that end the daemon again and again are handed over no longer`() throws {
    let store = NotificationStore()
    store.take(.keep, Message(.keep).adding(.notification, 1).adding(.state, "pending"))
    let policy = SupervisionPolicy()
    func handed() throws -> Bool {
      let (one, other) = try UnixSocket.pair()
      let link = MessageChannel(guardLink: one)
      store.restore(over: link)
      link.flush()
      return try Socket.poll(other.raw, .readable, timeoutMilliseconds: 0) == .readable
    }
    for _ in 0..<(2 * policy.maximumDeaths) {
      #expect(try handed())
      store.daemonDied(after: 1, policy)
    }
    #expect(try !handed())
    #expect(store.isTold)
  }
}

/// The same with a real daemon; the test is its guard.
@Suite(.bounded) struct KeptConversationTests {
  @Test func `the guard is told, and the next daemon shows and fires what it gets back`() throws {
    var told: [Message] = []
    do {
      let daemon = try DaemonProcess()
      let phone = try daemon.netcat()
      try phone.ask("register name=phone modes=voip resume=background")
      #expect(try phone.ask("present body=shown action=Answer").isOK)
      #expect(try phone.ask("schedule body=tea at=4000000000 repeat=day").isOK)
      #expect(try phone.ask("schedule body=never in=1000").isOK)
      #expect(try phone.ask("cancel notification=3").isOK)
      while told.last?.verb != "drop" { told.append(try daemon.told().message) }
    }
    let kept = told.filter { message in message.verb == "keep" && message[.notification] != "3" }
    #expect(kept.map { $0[.state] } == ["pending", "scheduled"])
    let null = try Files.openNull()
    let daemon = try DaemonProcess(restoring: kept.map { ($0, null.raw) })
    let boss = try daemon.connect()
    #expect(try boss.ask("notifications").items.map { $0[.body] } == ["shown", "tea"])
    let phone = try daemon.netcat()
    try phone.ask("register name=phone modes=voip resume=active")
    #expect(try phone.ask("scheduled").items.map { $0[.repeat] } == ["day"])
    #expect(try phone.ask("present body=new").last[.notification] == "3")
    #expect(try boss.ask("answer notification=1 action=Answer").last[.name] == "phone")
    #expect(try phone.laterNotice(.action)[.notification] == "1")
  }
}

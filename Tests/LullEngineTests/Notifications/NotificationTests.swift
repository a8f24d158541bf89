import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct NotificationTests {
  private let call = LocalNotification(body: "New VOIP call", action: "Answer")

  private func present(_ script: inout Script, _ name: String) -> [String] {
    let id = script.id(name)
    return script.ask(.present(id, call))
  }

  private func answer(_ script: inout Script, _ number: UInt32, action: String) -> [String] {
    script.ask(.answer(NotificationID(number), action: action))
  }

  /// A program with a notification, shown while it was awake for a call, and asleep again.
  private func sleeper() -> Script {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    _ = present(&script, "phone")
    script.done("phone")
    script.frozen("phone")
    return script
  }

  @Test func `an active command cannot receive one: it is shown`() {
    var script = Script()
    script.register("nc") { $0.speaks = false }
    #expect(present(&script, "nc").last == "show nc's 1, New VOIP call")
  }

  @Test(arguments: ["Answer", "default"])
  func `an answer withdraws it, wakes the program and brings the action`(action: String) throws {
    var script = sleeper()
    #expect(
      answer(&script, 1, action: action) == [
        "ok", "withdraw 1", "thaw phone", "phone: woke, notification", "phone: 1 answered, \(action)",
      ])
    #expect(script.engine.notifications.isEmpty)
    #expect(try script.leases("phone") == [.wake])
  }

  @Test func `a sleeper is told of a dismissal at its next wake`() {
    var script = sleeper()
    #expect(answer(&script, 1, action: "dismiss") == ["ok", "withdraw 1"])
    #expect(script.state("phone") == .suspended)
    #expect(
      script.ready("phone") == [
        "thaw phone", "phone: woke, data on line 1", "phone: 1 answered, dismiss",
      ])
  }

  @Test func `an awake program is told of a dismissal at once`() {
    var script = sleeper()
    script.ready("phone")
    #expect(
      answer(&script, 1, action: "dismiss") == ["ok", "withdraw 1", "phone: 1 answered, dismiss"])
  }

  @Test func `a dismissal takes back what is scheduled, and its program is told`() {
    var script = Script()
    script.asleep("clock")
    script.ready("clock")
    let id = script.id("clock")
    let alarm = LocalNotification(body: "alarm", isCall: true)
    #expect(
      script.ask(.schedule(id, alarm, .after(.seconds(100)), repeats: nil)) == ["ok, notification 1"])
    script.done("clock")
    script.frozen("clock")
    #expect(answer(&script, 1, action: "default") == ["refused"])
    #expect(answer(&script, 1, action: "dismiss") == ["ok"])
    #expect(script.engine.notifications.isEmpty)
    #expect(script.state("clock") == .suspended)
    #expect(script.ready("clock").last == "clock: 1 answered, dismiss")
    #expect(answer(&script, 1, action: "dismiss") == ["refused"])
  }

  @Test func `a call that is declined wakes its program`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    let id = script.id("phone")
    _ = script.ask(.present(id, LocalNotification(body: "New VOIP call", isCall: true)))
    script.done("phone")
    script.frozen("phone")
    #expect(
      answer(&script, 1, action: "dismiss") == [
        "ok", "withdraw 1", "thaw phone", "phone: woke, notification", "phone: 1 answered, dismiss",
      ])
  }

  @Test func `one that replaces another keeps its number, while that one is shown`() {
    var script = sleeper()
    script.ready("phone")
    let id = script.id("phone")
    let missed = LocalNotification(body: "Missed call")
    #expect(
      script.ask(.present(id, missed, replaces: NotificationID(1))) == [
        "ok, notification 1", "show phone's 1, Missed call",
      ])
    #expect(script.engine.notifications.map(\.content) == [missed])
    #expect(answer(&script, 1, action: "dismiss").prefix(2) == ["ok", "withdraw 1"])
    #expect(
      script.ask(.present(id, missed, replaces: NotificationID(1))) == [
        "ok, notification 2", "show phone's 2, Missed call",
      ])
  }

  @Test func `nobody replaces what another program shows`() {
    var script = sleeper()
    script.launched("other")
    script.sendToBackground("other")
    let id = script.id("other")
    let answer = script.ask(.present(id, call, replaces: NotificationID(1)))
    #expect(answer.first == "ok, notification 2")
    #expect(script.engine.notifications.map(\.program) == ["phone", "other"])
  }

  @Test func `what takes the place of one that is shown is shown, also for an active program`() {
    var script = sleeper()
    script.command("phone", .foreground)
    script.did("phone")
    script.did("phone")
    let id = script.id("phone")
    let missed = LocalNotification(body: "Missed call")
    #expect(
      script.ask(.present(id, missed, replaces: NotificationID(1))) == [
        "ok, notification 1", "show phone's 1, Missed call",
      ])
  }

  @Test func `cancel takes back what is shown`() {
    var script = sleeper()
    script.ready("phone")
    _ = present(&script, "phone")
    let id = script.id("phone")
    #expect(script.ask(.cancel(id, NotificationID(1))) == ["ok, 1", "withdraw 1"])
    #expect(script.ask(.cancel(id, nil)) == ["ok, 1", "withdraw 2"])
    #expect(script.ask(.cancel(id, NotificationID(2))) == ["refused"])
    #expect(script.engine.notifications.isEmpty)
  }

  @Test func `an unknown notification or action is refused, and nothing is withdrawn`() {
    var script = sleeper()
    #expect(answer(&script, 9, action: "Answer") == ["refused"])
    #expect(script.refusal == .noSuchNotification(NotificationID(9)))
    #expect(answer(&script, 1, action: "Decline") == ["refused"])
    #expect(script.refusal == .noSuchAction("Decline"))
    #expect(script.engine.notifications.count == 1)
  }

  @Test func `what the program has shown outlives it, but not a call`() {
    var script = sleeper()
    script.ready("phone")
    let id = script.id("phone")
    _ = script.ask(.present(id, LocalNotification(body: "New VOIP call", isCall: true)))
    #expect(script.feed(.exited(id, .signaled(9))) == ["withdraw 2", "forget phone"])
    #expect(script.engine.notifications.map(\.id) == [NotificationID(1)])
    #expect(answer(&script, 1, action: "Answer") == ["refused"])
    #expect(script.refusal == .programEnded("phone"))
    #expect(answer(&script, 1, action: "dismiss") == ["ok", "withdraw 1"])
  }

  @Test func `a program that is started for an answer is told once it has been launched`() {
    var script = sleeper()
    script.feed(.exited(script.id("phone"), .signaled(9)))
    let choice = Engine.Request.answerAtLaunch(NotificationID(1), action: "Answer")
    #expect(script.ask(choice) == ["ok", "withdraw 1"])
    script.register("phone")
    _ = script.did("phone")
    #expect(script.did("phone").contains("phone: 1 answered, Answer"))
  }

  @Test func `a program that could not be started is not told later, and its notification is shown again`() {
    var script = sleeper()
    script.feed(.exited(script.id("phone"), .signaled(9)))
    _ = script.ask(.answerAtLaunch(NotificationID(1), action: "Answer"))
    let shown = script.ask(.launchFailed(program: "phone"))
    #expect(shown.first == "ok" && shown.contains { $0.hasPrefix("show phone's 1") })
    #expect(script.engine.notifications.map(\.id) == [NotificationID(1)])
    script.register("phone")
    _ = script.did("phone")
    #expect(!script.did("phone").contains { $0.contains("answered") })
  }

  @Test func `a call is not shown again: it has lost its caller`() {
    var script = Script()
    let call = LocalNotification(body: "New VOIP call", isCall: true)
    _ = script.ask(.restore(NotificationRecord(id: NotificationID(1), program: "phone", content: call)))
    #expect(script.ask(.answerAtLaunch(NotificationID(1), action: "default")) == ["ok", "withdraw 1"])
    #expect(script.ask(.launchFailed(program: "phone")) == ["ok"])
  }

  @Test func `a call goes on over a restart if its program is back in time`() {
    var script = Script()
    for (number, name) in [(1, "phone"), (2, "gone")] as [(UInt32, String)] {
      let content = LocalNotification(body: "New VOIP call", sound: .default, isCall: true)
      let record = NotificationRecord(id: NotificationID(number), program: name, content: content)
      #expect(script.ask(.restore(record)) == ["ok", "show \(name)'s \(number), New VOIP call"])
    }
    let left = LocalNotification(body: "left")
    _ = script.ask(.restore(NotificationRecord(id: NotificationID(3), program: "gone", content: left)))
    script.register("phone") { $0.resumes = .background }
    #expect(script.pass(to: 11).contains("10 s: withdraw 2"))
    #expect(script.engine.notifications.map(\.id.number) == [1, 3])
    // A notification that was shown before makes no second sound.
    let note = LocalNotification(body: "note", sound: .default)
    let record = NotificationRecord(id: NotificationID(7), program: "phone", content: note)
    var (engine, effects) = (script.engine, [Effect]())
    _ = engine.handle(.restore(record), at: script.now, effects: &effects)
    let silent = LocalNotification(body: "note")
    #expect(effects.first == .show(NotificationID(7), program: "phone", silent))
    #expect(engine.allNotifications.last?.content == note)
  }

  @Test func `a restored call goes on ringing until 60 s after it was shown`() {
    let call = LocalNotification(body: "New VOIP call", sound: .default, isCall: true)
    let shown = Moment(nanoseconds: 0)
    let moments: [(Moment?, Interval, Bool)] = [
      (shown, .seconds(59), true), (shown, .seconds(60), false), (nil, .zero, false),
    ]
    for (shown, later, rings) in moments {
      var (engine, effects) = (Engine(), [Effect]())
      var record = NotificationRecord(id: NotificationID(1), program: "phone", content: call)
      record.shown = shown
      _ = engine.handle(.restore(record), at: Moment(nanoseconds: 0) + later, effects: &effects)
      var heard = call
      heard.sound = rings ? .default : nil
      #expect(effects.first == .show(NotificationID(1), program: "phone", heard), "\(later)")
    }
  }

  @Test func `programs that have ended leave 1024 notifications at most`() {
    var script = Script()
    for number in 1...1030 {
      script.register("nc-\(number)") { $0.speaks = false }
      _ = present(&script, "nc-\(number)")
      script.feed(.exited(script.id("nc-\(number)"), .exited(0)))
    }
    #expect(script.engine.notifications.count == 1024)
    #expect(script.engine.notifications.first?.id == NotificationID(7))
  }

  @Test func `over 128 shown ones the oldest are withdrawn`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    for _ in 1...128 { #expect(present(&script, "phone").count == 2) }
    #expect(
      present(&script, "phone") == ["ok, notification 129", "withdraw 1", "show phone's 129, New VOIP call"])
    #expect(script.engine.notifications.count == 128)
  }

  @Test func `a flood of messages does not push a call out`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    let id = script.id("phone")
    script.ask(.present(id, LocalNotification(body: "New VOIP call", isCall: true), replaces: nil))
    for _ in 1...300 { script.ask(.present(id, LocalNotification(body: "News"), replaces: nil)) }
    let shown = script.engine.notifications
    #expect(shown.count == 128 && shown.first?.content.isCall == true)
  }

  @Test func `a call of an active program is shown, and what takes its place as well`() {
    var script = Script()
    script.launched("phone")
    let id = script.id("phone")
    let call = LocalNotification(body: "New VOIP call", isCall: true)
    let ringing = script.ask(.present(id, call, replaces: nil))
    #expect(ringing == ["ok, notification 1", "show phone's 1, New VOIP call"])
    let missed = LocalNotification(body: "Missed call")
    let answer = script.ask(.present(id, missed, replaces: NotificationID(1)))
    #expect(answer == ["ok, notification 1", "show phone's 1, Missed call"])
  }
}

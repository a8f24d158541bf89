import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct NotificationConversationTests {
  private let daemon: DaemonProcess
  private let boss: Peer
  private let phone: Peer

  init() throws {
    daemon = try DaemonProcess()
    boss = try daemon.connect()
    phone = try daemon.netcat()
    try phone.launch("phone")
  }

  private func fallAsleep() throws {
    try phone.goToBackground()
    try daemon.waitFrozen("phone")
  }

  @Test func `one that is shown wakes its program when it is answered`() throws {
    #expect(try boss.ask("notifications follow").items.isEmpty)
    try fallAsleep()
    try boss.ask("wake name=phone")
    let ticket = try phone.laterNotice(.wake).string(.ticket)
    let presented = try phone.ask("present body=\"New VOIP call\" action=Answer")
    #expect(presented.last[.notification] == "1")
    let shown = try boss.notice(.notification)
    #expect(shown[.body] == "New VOIP call")
    #expect(shown[.program] == "phone")
    #expect(shown[.state] == "pending")
    try phone.say("done ticket=\(ticket)\n")
    try daemon.waitFrozen("phone")
    #expect(try boss.ask("answer notification=1 action=Decline").code == .noSuchAction)
    #expect(try boss.ask("answer notification=4294967297 action=Answer").code == .badValue)
    #expect(try boss.ask("answer notification=1 action=Answer").last[.name] == "phone")
    #expect(try boss.notice(.withdrawn)[.notification] == "1")
    #expect(try phone.laterNotice(.wake)[.reason] == "notification")
    let action = try phone.laterNotice(.action)
    #expect(action[.notification] == "1")
    #expect(action[.action] == "Answer")
  }

  @Test func `an active program receives it quietly`() throws {
    #expect(try phone.ask("present body=hello").last[.notification] == "1")
    let received = try phone.laterNotice(.received)
    #expect(received[.body] == "hello")
    #expect(try boss.ask("notifications").items.isEmpty)
  }

  @Test func `one that is shown and comes again is listed as both`() throws {
    try fallAsleep()
    try boss.ask("notifications follow")
    try boss.ask("wake name=phone")
    let ticket = try phone.laterNotice(.wake).string(.ticket)
    #expect(try phone.ask("schedule body=tea at=1000 repeat=day").isOK)
    #expect(try boss.notice(.notification)[.body] == "tea")
    let items = try boss.ask("notifications").items(.notification)
    #expect(items.map { $0[.state] } == ["pending", "scheduled"])
    #expect(items.map { $0[.at] == nil } == [true, false])
    try phone.say("done ticket=\(ticket)\n")
  }

  @Test func `scheduled ones are listed and cancelled`() throws {
    #expect(try phone.ask("schedule body=tea in=100").isOK)
    #expect(try phone.ask("schedule body=call at=4000000000 repeat=60 title=T action=A").isOK)
    #expect(try phone.ask("schedule body=x in=1 repeat=59").code == .badValue)
    let items = try phone.ask("scheduled").items(.notification)
    #expect(items.map { $0[.body] } == ["tea", "call"])
    #expect(items.map { $0[.state] } == ["scheduled", "scheduled"])
    #expect(try items[1].number(.at) == 4_000_000_000)
    #expect(items[1][.repeat] == "60")
    #expect(try boss.ask("notifications").items.count == 2)
    #expect(try phone.ask("cancel notification=9").code == .noSuchNotification)
    #expect(try phone.ask("cancel notification=1").last[.count] == "1")
    #expect(try phone.ask("cancel all").last[.count] == "1")
    #expect(try phone.ask("scheduled").items.isEmpty)
  }

  @Test func `one takes the place of another, and a shown one is taken back`() throws {
    #expect(try boss.ask("notifications follow").isOK)
    try fallAsleep()
    try boss.ask("wake name=phone")
    _ = try phone.laterNotice(.wake)
    let call = try phone.ask("present body=\"New VOIP call\" sound=default call").last[.notification]
    let shown = try boss.notice(.notification)
    #expect(shown[.sound] == "default")
    #expect(shown[.call] == "true")
    let number = try #require(call)
    #expect(try phone.ask("present body=\"Missed call\" replaces=\(number)").last[.notification] == number)
    #expect(try boss.notice(.notification)[.body] == "Missed call")
    #expect(try phone.ask("cancel notification=\(number)").last[.count] == "1")
    #expect(try boss.notice(.withdrawn)[.notification] == number)
    #expect(try phone.ask("cancel notification=\(number)").code == .noSuchNotification)
  }

  @Test func `a dismissal is told to an awake program, and a declined call wakes a sleeper`() throws {
    try fallAsleep()
    try boss.ask("wake name=phone")
    let ticket = try phone.laterNotice(.wake).string(.ticket)
    #expect(try phone.ask("present body=note").isOK)
    #expect(try boss.ask("answer notification=1 action=dismiss").isOK)
    let told = try phone.laterNotice(.action)
    #expect(told[.action] == "dismiss")
    #expect(try phone.ask("present body=call call").isOK)
    try phone.say("done ticket=\(ticket)\ndone ticket=\(told.string(.ticket))\n")
    try daemon.waitFrozen("phone")
    #expect(try boss.ask("answer notification=2 action=dismiss").isOK)
    #expect(try phone.laterNotice(.wake)[.reason] == "notification")
    #expect(try phone.laterNotice(.action)[.notification] == "2")
  }

  @Test func `a schedule outlives its program`() throws {
    #expect(try boss.ask("notifications follow").isOK)
    #expect(try phone.ask("schedule body=tea in=0.5").isOK)
    try phone.say("bye\n")
    let shown = try boss.notice(.notification)
    #expect(shown[.body] == "tea")
    #expect(shown[.program] == "phone")
    #expect(try boss.ask("answer notification=1 action=default").code == .noSuchProgram)
    #expect(try boss.ask("notifications").items.count == 1)
    #expect(try boss.ask("answer notification=1 action=dismiss").isOK)
  }

  @Test func `a calendar repeat names its zone, and an unknown zone is refused`() throws {
    #expect(try phone.ask("schedule body=tea at=4000000000 repeat=month zone=Europe/Berlin").isOK)
    let item = try #require(try phone.ask("scheduled").items(.notification).first)
    #expect(item[.repeat] == "month")
    #expect(item[.zone] == "Europe/Berlin")
    #expect(try phone.ask("schedule body=x in=1 repeat=day zone=../../passwd").code == .badValue)
    #expect(try phone.ask("schedule body=x in=1 repeat=fortnight").code == .badValue)
  }

  @Test func `quiet is on until it is off`() throws {
    #expect(try boss.ask("quiet").last[.on] == "no")
    #expect(try boss.ask("quiet on=yes").last[.on] == "yes")
    #expect(try boss.ask("quiet").last[.on] == "yes")
    #expect(try boss.ask("quiet on=perhaps").code == .badValue)
    #expect(try phone.ask("quiet").code == .refused)
  }

  @Test func `one that is due is shown while its program sleeps on`() throws {
    #expect(try boss.ask("notifications follow").isOK)
    #expect(try phone.ask("schedule body=tea in=2").isOK)
    try fallAsleep()
    #expect(try boss.notice(.notification)[.body] == "tea")
    #expect(try daemon.state(of: "phone").frozen)
    try boss.waitState("phone", "suspended")
  }
}

import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The owner of what the desktop shows by itself: the life of lull-notify, and what each one is told.
@Suite(.bounded) struct PresenterTests {
  /// A policy in which no life is short.
  private var patient: SupervisionPolicy {
    var policy = SupervisionPolicy()
    policy.shortLife = .seconds(-1)
    return policy
  }

  private func isRenewed(_ message: MessageToNotify) -> Bool { message == .renewed }

  @Test func `the first notification starts lull-notify, which is told everything`() throws {
    let stage = try NotifyStage()
    #expect(stage.timeIsUp() == [] && stage.launches == 0 && stage.presenter.deadline == nil)
    for number in 1...2 { stage.show(UInt32(number)) }
    #expect(stage.presenter.deadline != nil)
    stage.timeIsUp()
    let shown = (1...2).map { MessageToNotify.show(NotifyStage.content(UInt32($0))) }
    #expect(try stage.told(to: isRenewed) == [.renew] + shown + [.renewed])
    stage.show(3)
    stage.withdraw(1)
    #expect(
      try stage.told { $0 == .withdraw(NotificationID(1)) }
        == [.show(NotifyStage.content(3)), .withdraw(NotificationID(1))])
    #expect(stage.launches == 1)
  }

  @Test func `the next one is told the places, and not what is over`() throws {
    let stage = try NotifyStage(patient)
    for number in 1...3 { stage.show(UInt32(number)) }
    stage.timeIsUp()
    _ = try stage.say(.placed(NotificationID(1), at: "here"))
    _ = try stage.say(.placed(NotificationID(2), at: "there"))
    _ = try stage.say(.placed(NotificationID(2), at: nil))
    _ = try stage.say(.placed(NotificationID(99), at: "nowhere"))
    #expect(try stage.die() == [])
    stage.timeIsUp()
    #expect(stage.launches == 2)
    var first = NotifyStage.content(1)
    first.place = "here"
    #expect(
      try stage.told(to: isRenewed) == [.renew, .show(first), .show(NotifyStage.content(3)), .renewed])
  }

  @Test func `what is withdrawn while there is none is closed by the next one, by its place`() throws {
    let stage = try NotifyStage(patient)
    for number in 1...4 { stage.show(UInt32(number)) }
    stage.timeIsUp()
    for number in 1...3 { _ = try stage.say(.placed(NotificationID(UInt32(number)), at: "place \(number)")) }
    // The race: lull-notify is dead, and nobody has noticed it.
    stage.withdraw(1)
    #expect(try stage.die() == [])
    for number in 2...4 { stage.withdraw(UInt32(number)) }
    stage.show(3, "anew")
    let shown = NotifyStage.content(3, "anew", place: "place 3")
    let rounds: [[UInt32: String]] = [[1: "place 1", 2: "place 2"], [2: "place 2"]]
    for places in rounds {
      stage.timeIsUp()
      let told = try stage.told(to: isRenewed)
      let closed = places.map { MessageToNotify.withdraw(NotificationID($0), at: $1) }
      #expect(
        told.count == places.count + 3 && closed.allSatisfy(told.contains) && told.contains(.show(shown)))
      _ = try stage.say(.placed(NotificationID(1), at: nil))
      _ = try stage.die()
    }
  }

  @Test func `what was only to be closed is no reason for another one`() throws {
    let stage = try NotifyStage(patient)
    stage.show(1)
    stage.timeIsUp()
    _ = try stage.say(.placed(NotificationID(1), at: "here"))
    stage.withdraw(1)
    _ = try stage.say(.placed(NotificationID(1), at: nil))
    #expect(try stage.die() == [] && stage.presenter.deadline == nil)
  }

  @Test func `one that has nothing to do is ended, but not while something is on its way`() throws {
    let stage = try NotifyStage()
    stage.show(1)
    stage.timeIsUp()
    _ = try stage.say(.idle(shows: 0))
    stage.presenter.watch()
    #expect(try !stage.isDismissed())
    _ = try stage.say(.idle(shows: 1))
    stage.presenter.watch()
    #expect(stage.presenter.pid == nil)
    try eventually("the link is open") { try stage.isDismissed() }
    #expect(stage.timeIsUp() == [] && stage.launches == 1)
    stage.show(2)
    stage.timeIsUp()
    #expect(stage.launches == 2)
  }

  @Test func `one that finds no logind leaves, and is not started again for the next program`() throws {
    let stage = try NotifyStage()
    stage.presenter.watchMachine()
    stage.timeIsUp()
    #expect(stage.launches == 1)
    _ = try stage.say(.idle(shows: 0))
    stage.presenter.watch()
    #expect(stage.presenter.pid == nil)
    stage.presenter.watchMachine()
    #expect(stage.timeIsUp() == [] && stage.launches == 1)
  }

  @Test func `one that listens to logind stays, and is replaced`() throws {
    let stage = try NotifyStage(patient)
    stage.presenter.watchMachine()
    stage.timeIsUp()
    _ = try stage.say(.watching(.yes))
    _ = try stage.say(.idle(shows: 0))
    stage.presenter.watch()
    #expect(stage.presenter.pid != nil)
    #expect(try stage.say(.sleeping) == [.sleeps(true)])
    #expect(try stage.die() == [.sleeps(false)])
    stage.timeIsUp()
    #expect(stage.launches == 2)
  }

  @Test func `one that dies with nothing shown is not replaced`() throws {
    let stage = try NotifyStage(patient)
    stage.show(1)
    stage.timeIsUp()
    stage.withdraw(1)
    #expect(try stage.die() == [])
    #expect(stage.presenter.deadline == nil)
  }

  @Test func `one that always dies is given up, until something new is to be shown`() throws {
    var policy = SupervisionPolicy()
    (policy.shortLife, policy.backoffFirst) = (.seconds(1000), .zero)
    let stage = try NotifyStage(policy)
    stage.show(1)
    for count in 1...5 {
      stage.timeIsUp()
      #expect(stage.launches == count)
      #expect(try stage.die() == (count < 5 ? [] : [.trouble("notify-ends")]))
    }
    #expect(stage.presenter.deadline == nil && stage.timeIsUp() == [])
    stage.show(2)
    stage.timeIsUp()
    #expect(stage.launches == 6)
  }

  @Test func `one that cannot be started is said once`() throws {
    let stage = try NotifyStage()
    stage.makeUnstartable()
    stage.show(1)
    guard case .trouble(let text?)? = stage.timeIsUp().first else { throw Missing() }
    #expect(Explanation(text)?.verb == .notifyNotStarted)
    #expect(stage.presenter.deadline == nil && stage.presenter.trouble == text)
    stage.show(2)
    #expect(stage.timeIsUp() == [])
  }

  @Test func `what the user does is an answer`() throws {
    let stage = try NotifyStage()
    stage.show(7)
    stage.timeIsUp()
    let id = NotificationID(7)
    #expect(try stage.say(.action(id, "Answer", token: "T")) == [.answer(id, "Answer")])
    #expect(stage.presenter.takeToken(of: id) == "T" && stage.presenter.takeToken(of: id) == nil)
    #expect(try stage.say(.closed(id)) == [.answer(id, "dismiss")])
    #expect(try stage.say(.trouble("no bus")) == [.trouble("no bus")])
    #expect(try stage.say(.trouble("no bus")) == [] && stage.presenter.trouble == "no bus")
    #expect(try stage.say(.inhibited(.yes)) == [.inhibited] && stage.presenter.isInhibited)
    _ = try stage.die()
    #expect(!stage.presenter.isInhibited)
  }

  @Test func `of very many tokens that no program is told the newest are kept`() throws {
    let stage = try NotifyStage()
    stage.show(0)
    stage.timeIsUp()
    for number: UInt32 in 0...64 {
      _ = try stage.say(.action(NotificationID(number), "A", token: "T\(number)"))
    }
    #expect(stage.presenter.takeToken(of: NotificationID(0)) == nil)
    #expect(stage.presenter.takeToken(of: NotificationID(64)) == "T64")
  }

  @Test func `after a flood that was too much everything is told anew`() throws {
    let stage = try NotifyStage()
    stage.show(0)
    stage.timeIsUp()
    let text = String(repeating: "x", count: 500)
    for number in 1...10_000 {
      stage.show(UInt32(number), text)
      if number > 128 { stage.withdraw(UInt32(number - 128)) }
    }
    _ = try stage.told { if case .show = $0 { true } else { false } }
    // lull-notify takes all that was queued; then the daemon tells it everything.
    try eventually("nothing was told anew") {
      stage.presenter.renewIfLost { stage.pending }
      let told = try stage.told { if case .withdraw = $0 { false } else { true } }
      return told.contains(.renew)
    }
    let told = try stage.told(to: isRenewed)
    #expect(told.count == 130)
    #expect(told.dropLast().last == .show(NotifyStage.content(10_000, text)))
  }
}

import LullEngine
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct TicketsTests {
  @Test func `Nothing is owed before a ticket came`() {
    var tickets = Tickets()
    tickets.finished()
    #expect(tickets.payable() == nil)
  }

  @Test func `The highest ticket is paid once`() {
    var tickets = Tickets()
    tickets.received(Ticket(4))
    tickets.received(Ticket(7))
    #expect(tickets.payable() == nil)
    tickets.finished()
    #expect(tickets.payable() == Ticket(7))
    tickets.paid()
    tickets.finished()
    #expect(tickets.payable() == nil)
  }

  @Test func `What was finished before the notice arrived answers it`() {
    var tickets = Tickets()
    tickets.finished()
    tickets.received(Ticket(3))
    #expect(tickets.payable() == Ticket(3))
  }

  @Test func `A new event takes the word back`() {
    var tickets = Tickets()
    tickets.received(Ticket(3))
    tickets.finished()
    tickets.willHandle()
    #expect(tickets.payable() == nil)
  }

  @Test func `A word that was paid and taken back is told once, and owed again`() {
    var tickets = Tickets()
    tickets.willHandle()
    #expect(tickets.takenBack == nil)
    tickets.received(Ticket(3))
    #expect(tickets.takenBack == nil)
    tickets.finished()
    tickets.paid()
    #expect(tickets.takenBack == nil)
    tickets.willHandle()
    #expect(tickets.takenBack == Ticket(3))
    tickets.tookBack()
    #expect(tickets.takenBack == nil)
    tickets.finished()
    #expect(tickets.payable() == Ticket(3))
  }

  @Test func `A word is good for one wake`() {
    var tickets = Tickets()
    tickets.received(Ticket(3))
    tickets.finished()
    tickets.paid()
    tickets.received(Ticket(4))
    #expect(tickets.payable() == nil)
  }

  @Test func `A task that began since makes the last word owed again`() {
    var tickets = Tickets()
    tickets.received(Ticket(3))
    tickets.finished()
    tickets.paid()
    tickets.began()
    tickets.finished()
    #expect(tickets.payable() == Ticket(3))
  }

  @Test func `A new daemon's tickets begin anew and what was finished stays finished`() {
    var tickets = Tickets()
    tickets.received(Ticket(900))
    tickets.finished()
    tickets.restart()
    #expect(tickets.payable() == nil)
    tickets.woke(.unfrozen, Ticket(1))
    #expect(tickets.payable() == Ticket(1))
  }

  @Test(arguments: [WakeReason.data, .closed, .error, .accept, .accessory, .writable, .child, .unfrozen])
  func `What was finished before the notice answers a wake by what the program sees itself`(
    reason: WakeReason
  ) {
    var tickets = Tickets()
    tickets.finished()
    tickets.woke(reason, Ticket(3))
    #expect(tickets.payable() == Ticket(3))
  }

  @Test(arguments: [WakeReason.operator, .keepalive, .notification, .refill])
  func `What was finished before does not answer a wake that only the notice tells of`(reason: WakeReason) {
    var tickets = Tickets()
    tickets.finished()
    tickets.woke(reason, Ticket(3))
    #expect(tickets.payable() == nil)
    tickets.finished()
    #expect(tickets.payable() == Ticket(3))
  }

  @Test func `A word that answered an older wake answers the one whose notice was on its way, too`() {
    var tickets = Tickets()
    tickets.woke(.operator, Ticket(3))
    tickets.finished()
    tickets.paid()
    tickets.woke(.data, Ticket(4))
    #expect(tickets.payable() == Ticket(4))
    tickets.paid()
    tickets.doneReceived(Ticket(3))
    tickets.woke(.data, Ticket(5))
    #expect(tickets.payable() == Ticket(5))
  }

  @Test func `A word that was heard answers no later wake, unless that brings nothing`() {
    var tickets = Tickets()
    tickets.woke(.data, Ticket(3))
    tickets.finished()
    tickets.paid()
    tickets.doneReceived(Ticket(3))
    var other = tickets
    tickets.woke(.data, Ticket(4))
    #expect(tickets.payable() == nil)
    other.woke(.unfrozen, Ticket(4))
    #expect(other.payable() == Ticket(4))
  }

  @Test func `An answer to an older word leaves the new one`() {
    var tickets = Tickets()
    tickets.woke(.data, Ticket(3))
    tickets.finished()
    tickets.paid()
    tickets.willHandle()
    tickets.finished()
    tickets.doneReceived(Ticket(3))
    tickets.woke(.data, Ticket(4))
    #expect(tickets.payable() == Ticket(4))
  }

  @Test func `A word that nothing is owed for can be told with the last ticket`() {
    var tickets = Tickets()
    tickets.finished()
    #expect(tickets.payable(evenUnowed: true) == nil)
    tickets.woke(.unfrozen, Ticket(3))
    tickets.paid()
    tickets.finished()
    #expect(tickets.payable() == nil)
    #expect(tickets.payable(evenUnowed: true) == Ticket(3))
  }

  @Test func `What was finished before the handlers slept answers no wake of theirs`() {
    var tickets = Tickets()
    tickets.finished()
    tickets.slept()
    tickets.woke(.data, Ticket(3))
    #expect(tickets.payable() == nil)
  }
}

@Suite(.bounded) struct TimerListTests {
  private func timer(_ due: Int64, repeats: Bool = false) -> TimerToken {
    TimerToken(
      interval: .seconds(10), repeats: repeats, due: Moment(nanoseconds: due * 1_000_000_000), handler: {})
  }

  @Test func `Timers come in the order of their time and once`() {
    var list = TimerList()
    let (late, early) = (timer(20), timer(10))
    list.insert(late)
    list.insert(early)
    #expect(list.next == Moment(nanoseconds: 10_000_000_000))
    let due = list.takeDue(at: Moment(nanoseconds: 20_000_000_000))
    #expect(due.map(ObjectIdentifier.init) == [early, late].map(ObjectIdentifier.init))
    #expect(list.next == nil)
  }

  @Test func `A repeating timer fires once for a long sleep`() {
    var list = TimerList()
    list.insert(timer(10, repeats: true))
    let now = Moment(nanoseconds: 3_600_000_000_000)
    #expect(list.takeDue(at: now).count == 1)
    #expect(list.takeDue(at: now).isEmpty)
    #expect(list.next == now + .seconds(10))
  }

  @Test func `A cancelled timer is forgotten`() {
    var list = TimerList()
    let cancelled = timer(10)
    list.insert(cancelled)
    cancelled.cancel()
    #expect(list.next == nil)
    #expect(list.takeDue(at: Moment(nanoseconds: .max)).isEmpty)
  }
}

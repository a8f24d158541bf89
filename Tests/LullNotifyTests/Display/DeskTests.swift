import LullModel
import LullWire
import TestSupport
import Testing

@testable import LullNotify

/// What the server is asked next, without a server.
@Suite(.bounded) struct DeskTests {
  private func content(_ number: UInt32, _ body: String = "", isCall: Bool = false) -> NotificationToShow {
    NotificationToShow(
      id: NotificationID(number), program: "phone", content: .init(body: body, isCall: isCall))
  }

  private func next(of desk: inout Desk) throws -> Desk.Next {
    guard let next = desk.next() else { throw Missing() }
    return next
  }

  /// The numbers in the order in which a server is asked, when it answers at once.
  private func all(of desk: inout Desk) -> [UInt32] {
    var numbers: [UInt32] = []
    while let next = desk.next() {
      numbers.append(next.content.id.number)
      _ = desk.taken(next, as: next.content.id.number + 100)
    }
    return numbers
  }

  @Test func `calls go first, the newest of them first of all; the others keep their order`() {
    var desk = Desk()
    for number in 1...4 { desk.show(content(UInt32(number), isCall: number > 2)) }
    let order = all(of: &desk)
    #expect(order == [4, 3, 1, 2])
  }

  @Test func `of too many the oldest are given up, and told`() {
    var desk = Desk()
    let count = UInt32(Desk.maximumWaiting + 3)
    for number in 1...count { desk.show(content(number)) }
    let skipped = [desk.takeSkipped(), desk.takeSkipped()]
    #expect(skipped.map { $0.map(\.id.number) } == [[1, 2, 3], []])
    #expect(desk.state(of: NotificationID(1)) == .over)
    let shown = all(of: &desk)
    #expect(shown == Array(4...count))
  }

  @Test func `the server is asked about a few at once`() {
    var desk = Desk()
    for number in 1...20 { desk.show(content(UInt32(number))) }
    var asked: [Desk.Next] = []
    while let next = desk.next() { asked.append(next) }
    #expect(asked.count == Desk.maximumSending && !desk.hasNext)
    _ = desk.taken(asked[0], as: 1)
    _ = desk.refused(asked[1])
    let more = [desk.next(), desk.next(), desk.next()]
    #expect(more.map { $0 == nil } == [false, false, true])
  }

  @Test func `what changes while the server is asked is shown after it, in its place`() throws {
    var desk = Desk()
    desk.show(content(1, "New call"))
    let first = try next(of: &desk)
    desk.show(content(1, "Missed call"))
    #expect(!desk.hasNext)
    let surplus = desk.taken(first, as: 9)
    #expect(surplus == nil)
    let again = try next(of: &desk)
    #expect(again.content.body == "Missed call" && again.replacing == 9)
    let left = desk.taken(again, as: 9)
    #expect(left == nil && desk.state(of: NotificationID(1)) == .shown(9))
  }

  @Test func `what is withdrawn while the server is asked is closed when it answers`() throws {
    var desk = Desk()
    desk.show(content(1))
    let first = try next(of: &desk)
    let shown = desk.withdraw(NotificationID(1))
    desk.show(content(1, "another"))
    let surplus = desk.taken(first, as: 9)
    #expect(shown == nil && surplus == 9)
    let another = try next(of: &desk)
    #expect(another.replacing == nil)
  }

  @Test func `a late answer of a server that is gone counts for nothing`() throws {
    var desk = Desk()
    for number in 1...3 { desk.show(content(UInt32(number))) }
    let first = try next(of: &desk)
    let second = try next(of: &desk)
    _ = desk.taken(first, as: 9)
    desk.serverLost()
    let surplus = desk.taken(second, as: 10)
    #expect(surplus == nil && desk.find(9) == nil && desk.find(10) == nil)
    _ = desk.refused(first)
    let shown = all(of: &desk)
    #expect(Set(shown) == [1, 2, 3])
  }

  @Test func `a number that the server closed is not replaced`() throws {
    var desk = Desk()
    desk.show(content(1))
    let first = try next(of: &desk)
    _ = desk.taken(first, as: 9)
    desk.show(content(1, "changed"))
    let closed = [desk.closed(9), desk.closed(9)]
    #expect(closed == [NotificationID(1), nil])
    let changed = try next(of: &desk)
    #expect(changed.replacing == nil)
  }

  @Test func `what was over or refused is shown again when it comes again, and not by a renewal`() throws {
    var desk = Desk()
    for number in 1...2 { desk.show(content(UInt32(number), "one")) }
    let (first, second) = (try next(of: &desk), try next(of: &desk))
    _ = desk.taken(first, as: 9)
    _ = desk.closed(9)
    _ = desk.refused(second)
    desk.renew()
    for number in 1...2 { desk.show(content(UInt32(number), "one")) }
    let unwanted = desk.renewed()
    #expect(!desk.hasNext && unwanted.isEmpty)
    for number in 1...2 { desk.show(content(UInt32(number), "one")) }
    let again = all(of: &desk)
    #expect(again == [1, 2])
    desk.show(content(1, "one"))
    let inPlace = try next(of: &desk)
    #expect(inPlace.replacing == 101)
  }

  @Test func `what was to be replaced is closed when it is given up or withdrawn`() throws {
    var desk = Desk()
    desk.show(content(1, "New call"))
    _ = desk.taken(try next(of: &desk), as: 9)
    desk.show(content(1, "Missed call"))
    for number in 2...UInt32(Desk.maximumWaiting + 1) { desk.show(content(number)) }
    let skipped = desk.takeSkipped()
    #expect(skipped == [Desk.Skipped(id: NotificationID(1), number: 9)] && desk.find(9) == nil)
  }

  @Test func `what was refused in the place of another one is asked again there, or closed`() throws {
    for isEarly in [false, true] {
      var desk = Desk()
      desk.show(content(1, "New call"))
      _ = desk.taken(try next(of: &desk), as: 9)
      desk.show(content(1, "Missed call"))
      let second = try next(of: &desk)
      let early = isEarly ? desk.withdraw(NotificationID(1)) : nil
      let surplus = desk.refused(second)
      #expect(early == nil && surplus == (isEarly ? 9 : nil))
      guard !isEarly else { continue }
      desk.retry()
      let third = try next(of: &desk)
      #expect(third.replacing == 9)
      _ = desk.refused(third)
      let closed = desk.withdraw(NotificationID(1))
      #expect(closed == 9 && desk.find(9) == nil)
    }
  }

  @Test func `what is asked again waits behind newer calls, and is given up before them`() throws {
    var desk = Desk()
    for number in 1...2 { desk.show(content(UInt32(number), isCall: true)) }
    while let asked = desk.next() { _ = desk.refused(asked) }
    for number in 3...UInt32(Desk.maximumWaiting + 1) { desk.show(content(number, isCall: true)) }
    desk.retry()
    let skipped = desk.takeSkipped()
    #expect(skipped.map(\.id.number) == [1])
    let shown = all(of: &desk)
    #expect(shown.first == UInt32(Desk.maximumWaiting + 1) && shown.last == 2)
  }

  @Test func `a server that is silent is asked on, and its late answers count`() throws {
    var desk = Desk()
    for number in 1...20 { desk.show(content(UInt32(number))) }
    var asked: [Desk.Next] = []
    while let next = desk.next() { asked.append(next) }
    desk.serverIsSilent()
    while let next = desk.next() { asked.append(next) }
    #expect(asked.count == 2 * Desk.maximumSending)
    let gone = desk.withdraw(NotificationID(2))
    let late = [desk.taken(asked[0], as: 1), desk.taken(asked[1], as: 2)]
    #expect(gone == nil && late == [nil, 2] && desk.state(of: NotificationID(1)) == .shown(1))
  }

  @Test func `the limit lets a burst through, and then so many in a second`() {
    var limit = RateLimit(perSecond: 10)
    let start: Int64 = 5_000_000_000
    var taken = 0
    while limit.take(at: start) { taken += 1 }
    #expect(taken == 10)
    #expect(limit.next == start + 100_000_000)
    let next = limit.next
    let (tooEarly, inTime) = (limit.take(at: next - 1), limit.take(at: next))
    #expect(!tooEarly && inTime)
  }
}

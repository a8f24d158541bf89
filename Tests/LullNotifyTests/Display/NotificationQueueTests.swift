import LullModel
import LullWire
import TestSupport
import Testing

@testable import LullNotify

/// What the server is asked next, without a server.
@Suite(.bounded) struct NotificationQueueTests {
  private func content(_ number: UInt32, _ body: String = "", isCall: Bool = false) -> NotificationToShow {
    NotificationToShow(
      id: NotificationID(number), program: "phone", content: .init(body: body, isCall: isCall))
  }

  private func next(of queue: inout NotificationQueue) throws -> NotificationQueue.Next {
    guard let next = queue.next() else { throw Missing() }
    return next
  }

  /// The numbers in the order in which a server is asked, when it answers at once.
  private func all(of queue: inout NotificationQueue) -> [UInt32] {
    var numbers: [UInt32] = []
    while let next = queue.next() {
      numbers.append(next.content.id.number)
      _ = queue.taken(next, as: next.content.id.number + 100)
    }
    return numbers
  }

  @Test func `calls go first, the newest of them first of all; the others keep their order`() {
    var queue = NotificationQueue()
    for number in 1...4 { queue.show(content(UInt32(number), isCall: number > 2)) }
    let order = all(of: &queue)
    #expect(order == [4, 3, 1, 2])
  }

  @Test func `of too many the oldest are given up, and told`() {
    var queue = NotificationQueue()
    let count = UInt32(NotificationQueue.maximumWaiting + 3)
    for number in 1...count { queue.show(content(number)) }
    let skipped = [queue.takeSkipped(), queue.takeSkipped()]
    #expect(skipped.map { $0.map(\.id.number) } == [[1, 2, 3], []])
    #expect(queue.state(of: NotificationID(1)) == .over)
    let shown = all(of: &queue)
    #expect(shown == Array(4...count))
  }

  @Test func `the server is asked about a few at once`() {
    var queue = NotificationQueue()
    for number in 1...20 { queue.show(content(UInt32(number))) }
    var asked: [NotificationQueue.Next] = []
    while let next = queue.next() { asked.append(next) }
    #expect(asked.count == NotificationQueue.maximumSending && !queue.hasNext)
    _ = queue.taken(asked[0], as: 1)
    _ = queue.refused(asked[1])
    let more = [queue.next(), queue.next(), queue.next()]
    #expect(more.map { $0 == nil } == [false, false, true])
  }

  @Test func `what changes while the server is asked is shown after it, in its place`() throws {
    var queue = NotificationQueue()
    queue.show(content(1, "New call"))
    let first = try next(of: &queue)
    queue.show(content(1, "Missed call"))
    #expect(!queue.hasNext)
    let surplus = queue.taken(first, as: 9)
    #expect(surplus == nil)
    let again = try next(of: &queue)
    #expect(again.content.body == "Missed call" && again.replacing == 9)
    let left = queue.taken(again, as: 9)
    #expect(left == nil && queue.state(of: NotificationID(1)) == .shown(9))
  }

  @Test func `what is withdrawn while the server is asked is closed when it answers`() throws {
    var queue = NotificationQueue()
    queue.show(content(1))
    let first = try next(of: &queue)
    let shown = queue.withdraw(NotificationID(1))
    queue.show(content(1, "another"))
    let surplus = queue.taken(first, as: 9)
    #expect(shown == nil && surplus == 9)
    let another = try next(of: &queue)
    #expect(another.replacing == nil)
  }

  @Test func `a late answer of a server that is gone counts for nothing`() throws {
    var queue = NotificationQueue()
    for number in 1...3 { queue.show(content(UInt32(number))) }
    let first = try next(of: &queue)
    let second = try next(of: &queue)
    _ = queue.taken(first, as: 9)
    queue.serverLost()
    let surplus = queue.taken(second, as: 10)
    #expect(surplus == nil && queue.find(9) == nil && queue.find(10) == nil)
    _ = queue.refused(first)
    let shown = all(of: &queue)
    #expect(Set(shown) == [1, 2, 3])
  }

  @Test func `a number that the server closed is not replaced`() throws {
    var queue = NotificationQueue()
    queue.show(content(1))
    let first = try next(of: &queue)
    _ = queue.taken(first, as: 9)
    queue.show(content(1, "changed"))
    let closed = [queue.closed(9), queue.closed(9)]
    #expect(closed == [NotificationID(1), nil])
    let changed = try next(of: &queue)
    #expect(changed.replacing == nil)
  }

  @Test func `what was over or refused is shown again when it comes again, and not by a renewal`() throws {
    var queue = NotificationQueue()
    for number in 1...2 { queue.show(content(UInt32(number), "one")) }
    let (first, second) = (try next(of: &queue), try next(of: &queue))
    _ = queue.taken(first, as: 9)
    _ = queue.closed(9)
    _ = queue.refused(second)
    queue.renew()
    for number in 1...2 { queue.show(content(UInt32(number), "one")) }
    let unwanted = queue.renewed()
    #expect(!queue.hasNext && unwanted.isEmpty)
    for number in 1...2 { queue.show(content(UInt32(number), "one")) }
    let again = all(of: &queue)
    #expect(again == [1, 2])
    queue.show(content(1, "one"))
    let inPlace = try next(of: &queue)
    #expect(inPlace.replacing == 101)
  }

  @Test func `what was to be replaced is closed when it is given up or withdrawn`() throws {
    var queue = NotificationQueue()
    queue.show(content(1, "New call"))
    _ = queue.taken(try next(of: &queue), as: 9)
    queue.show(content(1, "Missed call"))
    for number in 2...UInt32(NotificationQueue.maximumWaiting + 1) { queue.show(content(number)) }
    let skipped = queue.takeSkipped()
    #expect(skipped == [NotificationQueue.Skipped(id: NotificationID(1), number: 9)] && queue.find(9) == nil)
  }

  @Test func `what was refused in the place of another one is asked again there, or closed`() throws {
    for isEarly in [false, true] {
      var queue = NotificationQueue()
      queue.show(content(1, "New call"))
      _ = queue.taken(try next(of: &queue), as: 9)
      queue.show(content(1, "Missed call"))
      let second = try next(of: &queue)
      let early = isEarly ? queue.withdraw(NotificationID(1)) : nil
      let surplus = queue.refused(second)
      #expect(early == nil && surplus == (isEarly ? 9 : nil))
      guard !isEarly else { continue }
      queue.retry()
      let third = try next(of: &queue)
      #expect(third.replacing == 9)
      _ = queue.refused(third)
      let closed = queue.withdraw(NotificationID(1))
      #expect(closed == 9 && queue.find(9) == nil)
    }
  }

  @Test func `what is asked again waits behind newer calls, and is given up before them`() throws {
    var queue = NotificationQueue()
    for number in 1...2 { queue.show(content(UInt32(number), isCall: true)) }
    while let asked = queue.next() { _ = queue.refused(asked) }
    for number in 3...UInt32(NotificationQueue.maximumWaiting + 1) {
      queue.show(content(number, isCall: true))
    }
    queue.retry()
    let skipped = queue.takeSkipped()
    #expect(skipped.map(\.id.number) == [1])
    let shown = all(of: &queue)
    #expect(shown.first == UInt32(NotificationQueue.maximumWaiting + 1) && shown.last == 2)
  }

  @Test func `a server that is silent is asked on, and its late answers count`() throws {
    var queue = NotificationQueue()
    for number in 1...20 { queue.show(content(UInt32(number))) }
    var asked: [NotificationQueue.Next] = []
    while let next = queue.next() { asked.append(next) }
    queue.serverIsSilent()
    while let next = queue.next() { asked.append(next) }
    #expect(asked.count == 2 * NotificationQueue.maximumSending)
    let gone = queue.withdraw(NotificationID(2))
    let late = [queue.taken(asked[0], as: 1), queue.taken(asked[1], as: 2)]
    #expect(gone == nil && late == [nil, 2] && queue.state(of: NotificationID(1)) == .shown(1))
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

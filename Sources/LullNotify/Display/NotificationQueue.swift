import LullModel
import LullWire

/// All notifications that are to be shown, and how far each has come. The server is asked to show calls
/// first, the newest call first of all, then the others in their order. Of too many the oldest are given up.
struct NotificationQueue {
  /// The numbers are the server's.
  enum State: Equatable {
    case waiting(replacing: UInt32?)
    /// A newer content replaces a stale one as soon as the server has answered.
    case sending(isStale: Bool)
    case shown(UInt32)
    /// The server may take it later.
    case refused(replacing: UInt32?)
    /// The notification was shown, or given up.
    case over
  }

  struct Next: Equatable {
    let content: NotificationToShow
    /// The mark of the question, by which the answer is known.
    let asked: UInt64
    var replacing: UInt32?
  }

  /// A notification that was given up, because too many waited.
  struct Skipped: Equatable {
    let id: NotificationID
    /// The notification that it was to replace, which the server has to close.
    let number: UInt32?
  }

  private struct Item {
    var content: NotificationToShow
    var state: State
    let order: UInt64
    /// The mark of the last question about it.
    var asked: UInt64 = 0
    /// False while lulld tells everything anew and has not told this one.
    var isWanted = true
  }

  /// So many calls and so many others may wait.
  static let maximumWaiting = 64
  static let maximumSending = 8

  private var items: [NotificationID: Item] = [:]
  private var numbers: [UInt32: NotificationID] = [:]
  private var calls: [NotificationID] = []
  private var others: [NotificationID] = []
  /// The marks of the unanswered questions.
  private var questions: Set<UInt64> = []
  /// The unanswered questions that `maximumSending` counts; those to a silent server are not among them.
  private var pressing: Set<UInt64> = []
  private var marks: UInt64 = 0
  private var skipped: [Skipped] = []
  /// How many notifications of each program are not withdrawn; a call is none.
  private(set) var unanswered: [String: Int] = [:]
  /// lulld tells everything anew.
  private var isRenewing = false

  /// A notification waits for the server, or is shown and may be answered.
  var isBusy: Bool { items.values.contains { $0.state != .over } }
  var hasNext: Bool { pressing.count < Self.maximumSending && !(calls.isEmpty && others.isEmpty) }

  func state(of id: NotificationID) -> State? { items[id]?.state }

  func content(of id: NotificationID) -> NotificationToShow? { items[id]?.content }

  func find(_ number: UInt32) -> NotificationToShow? { numbers[number].flatMap(content) }

  var all: [NotificationID] { items.keys.sorted { $0.number < $1.number } }

  // MARK: What lulld wants

  /// `number` is set when the server shows the notification already. The same content once more is shown once
  /// more (it repeats), unless lulld only tells everything anew.
  mutating func show(_ content: NotificationToShow, replacing number: UInt32? = nil) {
    count(items[content.id]?.content, -1)
    count(content, 1)
    guard var item = items[content.id] else {
      items[content.id] = Item(content: content, state: .over, order: mark())
      wait(for: content.id, replacing: number)
      return
    }
    let (isChanged, isNew) = (item.content != content, item.content != content || !isRenewing)
    (item.content, item.isWanted) = (content, true)
    items[content.id] = item
    switch item.state {
    case .waiting: break
    case .sending: if isChanged { items[content.id]?.state = .sending(isStale: true) }
    case .shown(let number): if isNew { wait(for: content.id, replacing: number) }
    case .refused(let number): if isNew { wait(for: content.id, replacing: number) }
    case .over: if isNew { wait(for: content.id, replacing: nil) }
    }
  }

  /// Returns the number of the notification that the server has to close.
  mutating func withdraw(_ id: NotificationID) -> UInt32? {
    guard let item = items.removeValue(forKey: id) else { return nil }
    count(item.content, -1)
    calls.removeAll { $0 == id }
    others.removeAll { $0 == id }
    switch item.state {
    case .waiting(let number?), .shown(let number), .refused(let number?):
      forget(number, of: id)
      return number
    case .waiting(nil), .sending, .refused(nil), .over: return nil
    }
  }

  mutating func renew() {
    isRenewing = true
    for id in items.keys { items[id]?.isWanted = false }
  }

  /// Returns the notifications that lulld did not tell: they are to be withdrawn.
  mutating func renewed() -> [NotificationID] {
    isRenewing = false
    return items.filter { !$0.value.isWanted }.map(\.key)
  }

  // MARK: What the server does

  mutating func next() -> Next? {
    guard pressing.count < Self.maximumSending else { return nil }
    guard let id = calls.popLast() ?? (others.isEmpty ? nil : others.removeFirst()),
      let item = items[id], case .waiting(let replacing) = item.state
    else { return nil }
    let asked = mark()
    questions.insert(asked)
    pressing.insert(asked)
    items[id]?.asked = asked
    items[id]?.state = .sending(isStale: false)
    return Next(content: item.content, asked: asked, replacing: replacing)
  }

  /// Returns `number` when the notification was withdrawn meanwhile: the server has to close it.
  mutating func taken(_ asked: Next, as number: UInt32) -> UInt32? {
    // The answer of a server that is gone.
    guard isAnswered(asked) else { return nil }
    let id = asked.content.id
    if let replaced = asked.replacing { forget(replaced, of: id) }
    guard let item = items[id], item.asked == asked.asked, case .sending(let isStale) = item.state else {
      return number
    }
    numbers[number] = id
    items[id]?.state = .shown(number)
    if isStale { wait(for: id, replacing: number) }
    return nil
  }

  /// Returns the number of the notification that should have been replaced, when it was withdrawn meanwhile:
  /// the server has to close it.
  mutating func refused(_ asked: Next) -> UInt32? {
    guard isAnswered(asked) else { return nil }
    let id = asked.content.id
    let replaced = asked.replacing.flatMap { numbers[$0] == id ? $0 : nil }
    if let item = items[id], item.asked == asked.asked, case .sending = item.state {
      items[id]?.state = .refused(replacing: replaced)
      return nil
    }
    if let replaced { forget(replaced, of: id) }
    return replaced
  }

  /// The refused notifications wait again, as the oldest.
  mutating func retry() {
    for (id, item) in items.sorted(by: { $0.value.order > $1.value.order }) {
      if case .refused(let number) = item.state { wait(for: id, replacing: number, isOldest: true) }
    }
  }

  /// Nothing waits any more for the answers that the server owes. They may still come.
  mutating func serverIsSilent() { pressing = [] }

  /// Nil when nothing was shown under that number.
  mutating func closed(_ number: UInt32) -> NotificationID? {
    guard let id = numbers.removeValue(forKey: number), let item = items[id] else { return nil }
    switch item.state {
    case .shown: items[id]?.state = .over
    case .waiting: items[id]?.state = .waiting(replacing: nil)
    case .refused: items[id]?.state = .refused(replacing: nil)
    case .sending, .over: break
    }
    return id
  }

  /// The next server is to show what the lost one showed.
  mutating func serverLost() {
    numbers = [:]
    (questions, pressing) = ([], [])
    for (id, item) in items.sorted(by: { $0.value.order < $1.value.order }) {
      switch item.state {
      case .waiting: items[id]?.state = .waiting(replacing: nil)
      case .sending, .shown, .refused: wait(for: id, replacing: nil)
      case .over: break
      }
    }
  }

  mutating func takeSkipped() -> [Skipped] {
    defer { skipped = [] }
    return skipped
  }

  private mutating func count(_ content: NotificationToShow?, _ change: Int) {
    guard let content, !content.isCall else { return }
    let count = unanswered[content.program, default: 0] + change
    unanswered[content.program] = count == 0 ? nil : count
  }

  private mutating func mark() -> UInt64 {
    marks += 1
    return marks
  }

  private mutating func isAnswered(_ asked: Next) -> Bool {
    pressing.remove(asked.asked)
    return questions.remove(asked.asked) != nil
  }

  /// Another notification may have the number by now.
  private mutating func forget(_ number: UInt32, of id: NotificationID) {
    if numbers[number] == id { numbers[number] = nil }
  }

  private mutating func wait(for id: NotificationID, replacing number: UInt32?, isOldest: Bool = false) {
    guard let item = items[id] else { return }
    items[id]?.state = .waiting(replacing: number)
    if item.content.isCall {
      Self.add(id, to: &calls, isOldest: isOldest)
    } else {
      Self.add(id, to: &others, isOldest: isOldest)
    }
    for surplus in Self.surplus(of: &calls) + Self.surplus(of: &others) { skip(surplus) }
  }

  private mutating func skip(_ id: NotificationID) {
    guard case .waiting(let number)? = items[id]?.state else { return }
    items[id]?.state = .over
    if let number { forget(number, of: id) }
    skipped.append(Skipped(id: id, number: number))
  }

  private static func add(_ id: NotificationID, to line: inout [NotificationID], isOldest: Bool) {
    line.removeAll { $0 == id }
    line.insert(id, at: isOldest ? 0 : line.count)
  }

  private static func surplus(of line: inout [NotificationID]) -> ArraySlice<NotificationID> {
    let surplus = line.prefix(max(0, line.count - maximumWaiting))
    line.removeFirst(surplus.count)
    return surplus
  }
}

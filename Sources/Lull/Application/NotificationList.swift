internal import LullEngine
internal import LullWire

/// The notifications of the application: their tokens, their numbers at the supervisor, and the requests for
/// a daemon that was restarted.
struct NotificationList {
  enum Due {
    case now
    /// Nanoseconds since 1970.
    case wall(Int64)
    case moment(Moment)
  }

  struct Entry {
    let token: NotificationToken
    let content: LocalNotification
    var repeats: RepeatRule?
    var zone: String?
    var due: Due
    /// The supervisor's number; nil while the daemon is away.
    var id: NotificationID?
  }

  /// A supervisor knows so many notifications: no answer can come to an older one.
  private static let limit = 256
  private var entries: [Entry] = []

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    if entries.count > NotificationList.limit { entries.removeFirst() }
  }

  func token(of id: NotificationID) -> NotificationToken? {
    entries.last { $0.id == id }?.token
  }

  func id(of token: NotificationToken) -> NotificationID? {
    entries.first { $0.token == token }?.id
  }

  mutating func remove(_ token: NotificationToken) -> Bool {
    let count = entries.count
    entries.removeAll { $0.token == token }
    return entries.count < count
  }

  mutating func removeAll() { entries = [] }

  func contains(_ token: NotificationToken) -> Bool { entries.contains { $0.token == token } }

  /// The token of a notification that the user answered; a repeating notification can be answered again.
  mutating func answered(_ id: NotificationID) -> NotificationToken? {
    guard let index = entries.lastIndex(where: { $0.id == id }) else { return nil }
    return entries[index].repeats == nil ? entries.remove(at: index).token : entries[index].token
  }

  /// Gives a new daemon the notifications that came in between, and those that are still to be shown and that
  /// it does not know from the one before.
  mutating func declareAnew(
    to link: any Link, now: Moment, wallOffset: Int64, lost: Moment
  ) throws(LullError) {
    let requests = entries.map { $0.request(now: now, wallOffset: wallOffset, lost: lost) }
    let isOpen = zip(entries, requests).contains { $0.id != nil && $1 != nil }
    let known = isOpen ? try link.notifications(all: true).map(\.id) : []
    for index in entries.indices {
      guard let request = requests[index] else { continue }
      if let id = entries[index].id, known.contains(id) { continue }
      entries[index].id = nil
      do {
        if case .notification(let id) = try link.ask(request) { entries[index].id = id }
      } catch {
        if error == .connectionLost { throw error }
      }
    }
  }
}

extension NotificationList.Entry {
  /// Nil when the old daemon showed the notification before it was lost.
  fileprivate func request(now: Moment, wallOffset: Int64, lost: Moment) -> Request? {
    switch due {
    case .now: id == nil ? .present(content) : nil
    case .wall(let date):
      next(Moment(nanoseconds: date - wallOffset), since: lost).map {
        schedule(.wall($0.nanoseconds + wallOffset))
      }
    case .moment(let moment): next(moment, since: lost).map { schedule(.after(max(.zero, $0 - now))) }
    }
  }

  private func schedule(_ date: FireDate) -> Request {
    .schedule(.init(notification: content, date: date, repeats: repeats, zone: zone))
  }

  private func next(_ due: Moment, since lost: Moment) -> Moment? {
    guard due < lost else { return due }
    guard let repeats else { return nil }
    // The daemon finds the next date of the calendar itself.
    guard case .every(let repeats) = repeats else { return due }
    let missed = (lost - due).nanoseconds / repeats.nanoseconds
    return due + repeats.scaled(by: missed + 1)
  }
}

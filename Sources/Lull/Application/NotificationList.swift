internal import LullEngine

/// The notifications of the application: their tokens, their numbers at the supervisor, and the requests for
/// a daemon that was restarted.
struct NotificationList {
  /// The time when a notification is due.
  enum Due {
    case now
    /// Nanoseconds since 1970.
    case wall(Int64)
    case moment(Moment)
  }

  struct Entry {
    let token: NotificationToken
    let content: LocalNotification
    let repeats: Interval?
    var due: Due
    /// The supervisor's number; nil while the daemon is away.
    var id: NotificationID?
  }

  /// The number that a supervisor keeps for an answer: no answer can come to an older notification.
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

  /// Removes a notification; false when it is gone already.
  mutating func remove(_ token: NotificationToken) -> Bool {
    let count = entries.count
    entries.removeAll { $0.token == token }
    return entries.count < count
  }

  mutating func removeScheduled() {
    entries.removeAll { if case .now = $0.due { false } else { true } }
  }

  /// The token of a notification that the user answered; a repeating notification can be answered again.
  mutating func answered(_ id: NotificationID) -> NotificationToken? {
    guard let index = entries.lastIndex(where: { $0.id == id }) else { return nil }
    return entries[index].repeats == nil ? entries.remove(at: index).token : entries[index].token
  }

  /// Gives a new daemon the notifications that the old one still had to show, and those that came in between.
  mutating func declareAnew(
    to link: any Link, now: Moment, wallOffset: Int64, lost: Moment
  ) throws(LullError) {
    for index in entries.indices {
      guard let call = entries[index].call(now: now, wallOffset: wallOffset, lost: lost) else { continue }
      entries[index].id = nil
      do {
        if case .notification(let id) = try link.ask(call) { entries[index].id = id }
      } catch {
        if error == .connectionLost { throw error }
      }
    }
  }
}

extension NotificationList.Entry {
  /// The call for a new daemon; nil when the old daemon showed the notification before it was lost.
  fileprivate func call(now: Moment, wallOffset: Int64, lost: Moment) -> Call? {
    switch due {
    case .now: id == nil ? .present(content) : nil
    case .wall(let date):
      next(Moment(nanoseconds: date - wallOffset), since: lost).map {
        .schedule(content, .wall($0.nanoseconds + wallOffset), repeats: repeats)
      }
    case .moment(let moment):
      next(moment, since: lost).map { .schedule(content, .after(max(.zero, $0 - now)), repeats: repeats) }
    }
  }

  private func next(_ due: Moment, since lost: Moment) -> Moment? {
    guard due < lost else { return due }
    guard let repeats else { return nil }
    let missed = (lost - due).nanoseconds / repeats.nanoseconds
    return due + repeats.scaled(by: missed + 1)
  }
}

internal import LullEngine

/// The notifications of the application: which token has which number at the supervisor, and what a daemon that was
/// restarted has to be told.
struct NotificationList {
  /// When a notification is due.
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
    /// Nil while the daemon is away.
    var id: NotificationID?
  }

  /// A supervisor keeps as many for an answer, so no answer can come to an older one.
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

  /// False when it is gone already.
  mutating func remove(_ token: NotificationToken) -> Bool {
    let count = entries.count
    entries.removeAll { $0.token == token }
    return entries.count < count
  }

  mutating func removeScheduled() {
    entries.removeAll { if case .now = $0.due { false } else { true } }
  }

  /// The token of a notification that the user answered; one that repeats can be answered again.
  mutating func answered(_ id: NotificationID) -> NotificationToken? {
    guard let index = entries.lastIndex(where: { $0.id == id }) else { return nil }
    return entries[index].repeats == nil ? entries.remove(at: index).token : entries[index].token
  }

  /// Gives a new daemon what the old one still had to show, and what came while there was none.
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
  /// What a new daemon is asked; nil when the old one showed the notification before it was lost.
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

import LullEngine

struct Alert: Equatable {
  let notification: NotificationID
  let program: String?
  let sound: NotificationSound
  /// The moment at which a call stops ringing; nil for any other sound, which is heard once.
  let ends: Moment?

  var isCall: Bool { ends != nil }
}

/// The calls that ring, the newest last: that one is heard. When it is over the one before goes on.
struct RingingCalls {
  /// More than anybody has waiting; the oldest gives way.
  private static let limit = 16
  private var calls: [Alert] = []

  var newest: Alert? { calls.last }

  var deadline: Moment { calls.compactMap(\.ends).min() ?? .never }

  /// A call that rings already goes on as it is, unless its sound is another one now.
  mutating func add(_ call: Alert) {
    if calls.contains(where: { $0.notification == call.notification && $0.sound == call.sound }) { return }
    remove(call.notification)
    calls.append(call)
    calls.removeFirst(max(0, calls.count - Self.limit))
  }

  mutating func remove(_ notification: NotificationID) {
    calls.removeAll { $0.notification == notification }
  }

  mutating func removeAll() { calls = [] }

  mutating func expire(at now: Moment) { calls.removeAll { $0.ends.map { $0 <= now } ?? false } }
}

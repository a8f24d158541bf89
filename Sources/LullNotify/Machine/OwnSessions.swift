import LullBus

/// The sessions of the user at logind; for root, which serves all, every one.
final class OwnSessions {
  private let uid: UInt32
  private var paths: Set<String> = []

  init(uid: UInt32) { self.uid = uid }

  var own: [String] { paths.sorted() }

  func isOwn(_ path: String?) -> Bool { path.map(paths.contains) ?? false }

  /// Reads the answer of `ListSessions`: identifier, uid, user, seat and path of each.
  func read(_ message: BusMessage) {
    let read = message.readList(of: "(susso)") {
      message.within("r", contents: "susso") { () -> (UInt32, String)? in
        guard message.readString() != nil, let uid = message.readUInt32(), message.readString() != nil,
          message.readString() != nil, let path = message.readString("o")
        else { return nil }
        return (uid, path)
      }
    }
    paths = Set((read ?? []).filter { uid == 0 || $0.0 == uid }.map(\.1))
  }
}

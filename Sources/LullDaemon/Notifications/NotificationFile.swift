import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The notifications in the state directory, for the daemon after a restart of the machine. A call is not
/// written: nobody waits at its other end after a restart.
final class NotificationFile {
  private static let headVerb = "notifications"
  private static let maximumBytes = 16 << 20

  private let file: StateFile?
  private let journal: Journal

  /// A file in `directory`; nil when the user has no place for one.
  init(directory: String?, _ journal: Journal) {
    self.journal = journal
    file = directory.map { directory in
      StateFile("notifications", in: directory) { error in
        StandardError.say("lulld: notifications are kept while the machine runs, and not longer: \(error)")
        journal.note(
          at: Clock.realtime(), program: nil, what: "notifications-unwritten", detail: "\(error)")
      }
    }
  }

  /// The notifications that an earlier daemon has left, each with whether the machine has run on since.
  func read() -> [(KeptNotification, isSameBoot: Bool)] {
    guard let file else { return [] }
    do {
      return Self.read(try file.read(limit: Self.maximumBytes), boot: BootIdentity.current())
    } catch {
      if !error.isNotADirectory { journal.noteUnexpected(error, except: .removed) }
      return []
    }
  }

  /// A line that is none of the file's is passed over.
  static func read(_ bytes: [UInt8], boot: String?) -> [(KeptNotification, isSameBoot: Bool)] {
    var isSameBoot = false
    var found: [(KeptNotification, isSameBoot: Bool)] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let read = try? Message.parse(line.span, maximumLine: Limits.maximumGuardLine)
      guard let message = read else { continue }
      if message.verb == headVerb {
        isSameBoot = boot != nil && message[.boot] == boot
      } else if message.verb == GuardVerb.keep.rawValue, let kept = try? KeptNotification(message) {
        found.append((kept, isSameBoot))
      }
    }
    return found
  }

  /// The moment at which there is something to do.
  var deadline: Int64? { file?.deadline }

  /// Takes note that the file says no longer what is there.
  func changed() { file?.changed() }

  /// Has the file written, or asks what became of it, if that is due.
  func write(_ engine: Engine, at now: Int64, _ describe: (NotificationRecord) -> KeptNotification) {
    file?.work(at: now) { Self.bytes(engine, describe) }
  }

  /// Waits until everything is written, for a second at most: the daemon ends.
  func finish(_ engine: Engine, _ describe: (NotificationRecord) -> KeptNotification) {
    file?.finish { Self.bytes(engine, describe) }
  }

  private static func bytes(
    _ engine: Engine, _ describe: (NotificationRecord) -> KeptNotification
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    Message(Self.headVerb).adding(.boot, BootIdentity.current()).encodeTruncating(into: &bytes)
    for notification in engine.keptNotifications where !notification.isCallShown {
      describe(notification).adding(to: Message(.keep))
        .encodeTruncating(into: &bytes, maximumLine: Limits.maximumGuardLine)
    }
    return bytes
  }
}

extension NotificationRecord {
  fileprivate var isCallShown: Bool { content.isCall && fires == nil }
}

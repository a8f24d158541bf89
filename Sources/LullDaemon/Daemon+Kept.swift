import LullChannel
import LullEngine
import LullSystem
import LullWire

// The notifications that are kept for the next daemon: by lull-guard, and in the state directory.
extension Daemon {
  func keep(_ notification: NotificationRecord) {
    tellGuard(notification)
    notificationFile.changed()
  }

  func drop(_ id: NotificationID, _ state: Vocabulary.NotificationState) {
    guardianship.tell(Message(.drop).adding(.notification, id.number).adding(.state, state.rawValue))
    notificationFile.changed()
  }

  func tellGuard(_ notification: NotificationRecord) {
    guardianship.tell(KeptNotification(notification, clock).adding(to: Message(.keep)))
  }

  /// Takes back a notification of the daemon before this one. Nothing here may wait for anything: frozen
  /// programs may be behind it.
  func restore(_ notification: KeptNotification, isSameBoot: Bool = true) {
    _ = ask(.restore(notification.record(clock, isSameBoot: isSameBoot)))
  }

  /// Takes back what an earlier daemon has written, unless the guard knows better.
  func readNotifications() {
    if !guardianship.hasKept, engine.keptNotifications.isEmpty {
      for (notification, isSameBoot) in notificationFile.read() {
        restore(notification, isSameBoot: isSameBoot)
      }
    }
    // Nobody may ever register again, and the machine's own time zone counts for repeats without another.
    if engine.keptNotifications.contains(where: \.goesByLocalZone) { lookAround() }
  }

  /// Writes what has changed: the notifications, the setting of their sounds, what is to be known of
  /// installed programs, and the programs that have ended. Each is due at most once a second.
  func writeState() {
    notificationFile.write(engine, at: seenAt) { KeptNotification($0, clock) }
    quiet.write(at: seenAt)
    installedMemory.write(at: seenAt)
    programs.ended.write(at: seenAt)
  }

  /// The machine's own time zone has changed: repeats that go by it are at the same time of day there.
  func localZoneChanged() { if let zone = try? ZoneRules.read(nil) { _ = ask(.localZone(zone)) } }

  /// Turns the sounds of notifications off or on, or only says whether they are off.
  func quiet(_ on: Vocabulary.YesNo?) -> Reply {
    if let on { quiet.set(on == .yes) }
    if quiet.isOn { alerts.silence() }
    let word: Vocabulary.YesNo = quiet.isOn ? .yes : .no
    return .ok(Message(.ok).adding(.on, word.rawValue))
  }
}

extension NotificationRecord {
  /// True when it is repeated by the machine's own time zone.
  fileprivate var goesByLocalZone: Bool {
    if case .calendar(_, let zone) = repeats { zone.name == nil } else { false }
  }
}

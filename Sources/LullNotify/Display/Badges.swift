import LullBus

/// The number on a program's icon: how many of its notifications nobody has answered. Docks and task bars
/// that show one own the name `com.canonical.Unity`, and hear the signal `Update` of
/// `com.canonical.Unity.LauncherEntry`.
final class Badges: BusUser {
  private static let launcher = "com.canonical.Unity"
  private static let path = "/com/canonical/unity/launcherentry/lull"
  private static let bus = "org.freedesktop.DBus"
  /// In seconds.
  private static let patience = 25

  private var bus: Bus?
  private var hasLauncher = false
  private var counts: [String: Int] = [:]

  /// Whether a number is shown: a launcher forgets it when this process ends.
  var isShowing: Bool { hasLauncher && !counts.isEmpty }

  /// The notifications of each program that has any.
  func show(_ now: [String: Int]) {
    guard now != counts else { return }
    let before = counts
    counts = now
    for program in Set(before.keys).union(now.keys) where before[program] != now[program] { tell(program) }
  }

  private func tell(_ program: String) {
    guard hasLauncher else { return }
    let count = counts[program] ?? 0
    bus?.emit(
      "com.canonical.Unity.LauncherEntry", member: "Update", at: Self.path,
      values: [
        .string("application://\(program).desktop"),
        .dictionary([
          BusEntry("count", .int64(Int64(count))), BusEntry("count-visible", .bool(count > 0)),
        ]),
      ])
  }

  private func launcherCame() {
    hasLauncher = true
    for program in counts.keys { tell(program) }
  }

  func connected(_ bus: Bus) throws(BusError) {
    self.bus = bus
    let owner = "sender='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.launcher)'"
    try bus.match("type='signal',\(owner)") { [weak self] message in
      let names = (0..<3).map { _ in message.readString() }
      if names.last??.isEmpty == false { self?.launcherCame() } else { self?.hasLauncher = false }
    }
    let question = BusCall(
      to: Self.bus, path: "/org/freedesktop/DBus", interface: Self.bus, member: "GetNameOwner",
      values: [.string(Self.launcher)])
    try bus.call(question, timeout: Self.patience) { [weak self] reply in
      if case .values = reply { self?.launcherCame() }
    }
  }

  func disconnected(_ why: BusError) { (bus, hasLauncher) = (nil, false) }
}

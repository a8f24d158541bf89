internal import LullChannel
internal import LullEngine

extension Application {
  /// The file whose changes are told as `settings`, whoever writes it: `lull/settings/NAME` in the
  /// configuration folder of the user, or below `/etc` for root. The application reads it itself.
  public var settingsPath: String { SettingsFolder.path() + "/" + name }

  /// Tells the delegate what changed. A daemon that was restarted tells what the application knows already.
  func changed(_ news: SurroundingNews) {
    var changes = news.changes
    if news.power == power { changes.remove(.power) }
    if news.isLocked == isLocked { changes.remove(.lock) }
    (power, isLocked) = (news.power, news.isLocked)
    guard !changes.isEmpty, phase == .launched else { return }
    tell { $0.application(self, surroundingsDidChange: changes) }
  }

  func openProtectedData() {
    isProtectedDataAvailable = true
    tell { $0.applicationProtectedDataDidBecomeAvailable(self) }
  }
}

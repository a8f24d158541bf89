import LullWire

/// `lull notifications --follow`: tells what is shown and withdrawn, over a restart of the daemon too.
struct NotificationFollower {
  private let isJSON: Bool
  private let style = Style.ofStandardOutput()
  private let following: Following
  /// What was told and not withdrawn.
  private var told: [NotificationItem] = []

  static func run(isJSON: Bool) throws(Failure) {
    var follower = NotificationFollower(isJSON: isJSON, following: try Following(Daemon.connect()))
    try follower.begin()
    repeat {
      do throws(Failure) {
        try follower.hear()
        try follower.following.wait()
      } catch .connectionLost {
        let following = follower.following
        _ = try following.connectAgain { () throws(Failure) in try follower.begin() }
      }
    } while try follower.following.nextSignal() == nil
  }

  private init(isJSON: Bool, following: Following) { (self.isJSON, self.following) = (isJSON, following) }

  /// Tells what is there, unless it was told, and what has gone since.
  private mutating func begin() throws(Failure) {
    let items = try following.ask(.notifications(follow: true))
    let reports = try readable(items.records(NotificationItem.self))
    for old in told where !reports.contains(where: { $0.id == old.id }) { try tell(.withdrawn(old.id)) }
    for report in reports where !told.contains(where: { $0.isSame(as: report) }) {
      try tell(.notification(report))
    }
  }

  private mutating func hear() throws(Failure) {
    while let notice = try following.nextNotice() {
      guard notice.notice == .notification || notice.notice == .withdrawn else { continue }
      try tell(readable(NotificationNews(notice)))
    }
  }

  private mutating func tell(_ news: NotificationNews) throws(Failure) {
    switch news {
    case .withdrawn(let id): told.removeAll { $0.id == id }
    case .notification(let report):
      told.removeAll { $0.id == report.id }
      told.append(report)
    }
    try Output.write(isJSON ? JSONOutput.text(news, .line) : NotificationsText.text(news, style))
  }
}

extension NotificationItem {
  /// True when another report tells people nothing new. The time of a scheduled one is measured anew.
  fileprivate func isSame(as other: NotificationItem) -> Bool {
    var other = other
    other.at = at
    return self == other
  }
}

import LullSystem
import LullWire

/// `lull notifications --follow`: tells what is shown and withdrawn, over a restart of the daemon too.
struct NotificationFollower: ~Copyable {
  /// The time that a restarted daemon may take to accept again, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  private let isJSON: Bool
  private let style = Style.ofStandardOutput()
  private var connection: Connection
  private let following: Following
  private var told: [NotificationItem] = []

  private init(_ connection: consuming Connection, isJSON: Bool) throws(Failure) {
    following = try Following(connection)
    self.connection = connection
    self.isJSON = isJSON
  }

  static func run(isJSON: Bool) throws(Failure) {
    var connection = try Daemon.connect()
    try connection.greet()
    var follower = try NotificationFollower(connection, isJSON: isJSON)
    try follower.begin()
    while true {
      do throws(Failure) {
        repeat { try follower.hear() } while try follower.following.wait()
        return
      } catch .connectionLost {
        guard try follower.connectAgain() else { return }
      }
    }
  }

  /// Tells what is there, unless it was told, and what has gone since.
  private mutating func begin() throws(Failure) {
    let items = try connection.ask(.notifications(follow: true)).items
    let reports = try readable(items.records(NotificationItem.self))
    for old in told where !reports.contains(where: { $0.id == old.id }) { try tell(.withdrawn(old.id)) }
    for report in reports where !told.contains(where: { $0.isSame(as: report) }) {
      try tell(.notification(report))
    }
  }

  private mutating func hear() throws(Failure) {
    while let notice = try connection.nextNotice() {
      guard notice.notice == .notification || notice.notice == .withdrawn else { continue }
      let news = try readable(NotificationNews(notice))
      try tell(news)
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

  private mutating func connectAgain() throws(Failure) -> Bool {
    let deadline = Clock.boottime() + Self.patience
    following.leave(connection)
    while true {
      do throws(Failure) {
        connection = try Daemon.connect()
        try following.watch(connection)
        try begin()
        return true
      } catch {
        guard error == .noDaemon || error == .connectionLost, Clock.boottime() < deadline else { throw error }
        following.leave(connection)
      }
      guard try !following.isToEnd() else { return false }
      Daemon.pause()
    }
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

import ArgumentParser
import LullWire

struct NotificationsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notifications",
    abstract: "Show the notifications that wait for an answer or for their time.",
    discussion: """
      With --follow each one is told as it is shown, and as it is withdrawn, answered or replaced.

      Example: lull notifications; lull answer 3 Answer
               lull notifications --follow --json
      """)

  @Flag(
    name: [.customLong("follow"), .customShort("f")], help: "Go on with new ones until interrupted.")
  var isFollowing = false
  @Flag(name: .customLong("json"), help: "Write JSON; with --follow, one object per line.")
  var isJSON = false

  func run() throws(Failure) {
    guard !isFollowing else { return try NotificationFollower.run(isJSON: isJSON) }
    let notifications = try Daemon.ask(.notifications(follow: false)) { (items) throws(WireError) in
      try items.records(NotificationItem.self)
    }
    try Output.write(
      isJSON
        ? JSONOutput.text(notifications) : NotificationsText.text(notifications, .ofStandardOutput()))
  }
}

extension Launch {
  package static let variablePrefix = "LULL_LAUNCH_"

  package var environment: [String] {
    var entries = ["REASON=\(reason.rawValue)"]
    if let line { entries.append("LINE=\(line)") }
    if let url { entries.append("URL=\(url)") }
    if let answer { entries += ["NOTIFICATION=\(answer.notification.number)", "ACTION=\(answer.action)"] }
    return entries.map { Self.variablePrefix + $0.filter { $0 != "\0" } }
  }

  /// A reason that is missing or unknown is the user's. An answer is not read: its program is told of it by
  /// the daemon.
  package init(environment value: (_ variable: String) -> String?) {
    let prefix = Self.variablePrefix
    self.init(
      value(prefix + "REASON").flatMap(LaunchReason.init(rawValue:)) ?? .user, line: value(prefix + "LINE"),
      url: value(prefix + "URL"))
  }

  /// The fields of `run`; nil without any of them.
  static func visited(_ old: Self?, by fields: inout some FieldVisitor) throws(WireError) -> Self? {
    let reason = try fields.optional(.launchReason, .word, value: old?.reason)
    let line = try fields.optional(.line, .text, value: old?.line)
    let url = try fields.optional(.url, .url, value: old?.url)
    let notification = try fields.optional(.notification, .identifier, value: old?.answer?.notification)
    let action = try fields.optional(.action, .text, value: old?.answer?.action)
    guard let reason else {
      guard line == nil, url == nil, notification == nil, action == nil else {
        throw .missingField(Key.launchReason.rawValue)
      }
      return nil
    }
    guard (notification == nil) == (action == nil) else {
      throw .missingField(notification == nil ? Key.notification.rawValue : Key.action.rawValue)
    }
    return .init(
      reason, line: line, url: url,
      answer: notification.flatMap { id in action.map { .init(id, action: $0) } })
  }

  /// Adds what a program is told of its launch in the answer to `register`.
  package func adding(to message: Message) -> Message {
    message.adding(.launchReason, reason.rawValue).adding(.line, line).adding(.url, url)
  }

  /// Reads the answer to `register`; a reason that this version does not know is the user's.
  package init(registered message: Message) {
    self.init(
      message[.launchReason].flatMap(LaunchReason.init(rawValue:)) ?? .user, line: message[.line],
      url: message[.url])
  }
}

// A launch is told in four forms: to a command by its environment, to a program on the library by the answer
// to `register`, to the daemon by the fields of `run`, to a keeper by the words behind `lull keep NAME`.

extension Launch {
  package static let variablePrefix = "LULL_LAUNCH_"

  /// EX_CONFIG of sysexits.h: a keeper's status for an error that somebody must mend first.
  package static let misconfiguredStatus: Int32 = 78

  package var environment: [String] {
    (values + pushed).map { "\(Self.variablePrefix)\($0.name.uppercased())=\($0.text.filter { $0 != "\0" })" }
  }

  /// A push is not told to a keeper by its words, which everybody can read, but by its environment.
  private var pushed: [(name: String, text: String)] {
    guard let push else { return [] }
    var values = [("payload", String(decoding: push.payload, as: UTF8.self))]
    if let title = push.title { values.append(("title", title)) }
    return values
  }

  package var words: [String] { values.flatMap { ["--\($0.name)", $0.text] } }

  private var values: [(name: String, text: String)] {
    var values = [("reason", reason.rawValue)]
    if let line { values.append(("line", line)) }
    if let url { values.append(("url", url)) }
    if let answer {
      values += [("notification", "\(answer.notification.number)"), ("action", answer.action)]
    }
    return values
  }

  package init?(words: [String], environment value: (_ variable: String) -> String? = { _ in nil }) {
    guard words.count.isMultiple(of: 2) else { return nil }
    var values: [String: String] = [:]
    for place in stride(from: 0, to: words.count, by: 2) { values[words[place]] = words[place + 1] }
    guard let reason = values["--reason"].flatMap(LaunchReason.init(rawValue:)) else { return nil }
    self.init(reason, line: values["--line"], url: values["--url"])
    if reason == .push {
      let payload = value(Self.variablePrefix + "PAYLOAD").map { Array($0.utf8) } ?? []
      push = RemoteNotification(payload: payload, title: value(Self.variablePrefix + "TITLE"))
    }
    guard let id = values["--notification"].flatMap({ UInt32($0) }), let action = values["--action"] else {
      return
    }
    answer = Answer(NotificationID(id), action: action)
  }

  /// An answer is not read: the daemon tells its program of it.
  package init(environment value: (_ variable: String) -> String?) {
    let prefix = Self.variablePrefix
    self.init(told: value(prefix + "REASON"), line: value(prefix + "LINE"), url: value(prefix + "URL"))
  }

  package init(registered message: Message) {
    self.init(told: message[.launchReason], line: message[.line], url: message[.url])
  }

  /// A reason that is missing, or that this version does not know, is the user's.
  private init(told reason: String?, line: String?, url: String?) {
    self.init(reason.flatMap(LaunchReason.init(rawValue:)) ?? .user, line: line, url: url)
  }

  package func adding(to message: Message) -> Message {
    message.adding(.launchReason, reason.rawValue).adding(.line, line).adding(.url, url)
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
}

// The words behind `lull keep NAME`, by which lulld has a keeper start a program.
extension Launch {
  /// EX_CONFIG of sysexits.h: the status of a keeper for what somebody must mend first.
  package static let mistakenStatus: Int32 = 78

  package var words: [String] {
    var words = ["--reason", reason.rawValue]
    if let line { words += ["--line", line] }
    if let url { words += ["--url", url] }
    if let answer { words += ["--notification", "\(answer.notification.number)", "--action", answer.action] }
    return words
  }

  package init?(words: [String]) {
    guard words.count.isMultiple(of: 2) else { return nil }
    var values: [String: String] = [:]
    for place in stride(from: 0, to: words.count, by: 2) { values[words[place]] = words[place + 1] }
    guard let reason = values["--reason"].flatMap(LaunchReason.init(rawValue:)) else { return nil }
    self.init(reason, line: values["--line"], url: values["--url"])
    guard let id = values["--notification"].flatMap({ UInt32($0) }), let action = values["--action"] else {
      return
    }
    answer = Answer(NotificationID(id), action: action)
  }
}

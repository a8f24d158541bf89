/// What a notification server can do (Desktop Notifications Specification, "GetCapabilities").
struct Abilities: Equatable {
  var actions: Bool
  /// It shows a body beside the summary.
  var body: Bool
  /// It reads markup in the body.
  var markup: Bool

  init(_ words: [String]) {
    actions = words.contains("actions")
    body = words.contains("body")
    markup = words.contains("body-markup")
  }
}

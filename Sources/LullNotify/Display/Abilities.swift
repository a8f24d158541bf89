/// What a notification server can do (Desktop Notifications Specification, "GetCapabilities").
struct Abilities: Equatable {
  var actions: Bool
  var body: Bool
  var markup: Bool

  init(_ words: [String]) {
    actions = words.contains("actions")
    body = words.contains("body")
    markup = words.contains("body-markup")
  }
}

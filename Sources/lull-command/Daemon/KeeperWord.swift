/// The first argument of a keeper: `lull keep`.
enum KeeperWord {
  static let text = "keep"
}

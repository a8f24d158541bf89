import LullWire

/// An installed program, for `lull list`. The keys of its JSON are a promise: new keys may be added, these
/// stay.
@dynamicMemberLookup
struct InstalledReport: Encodable, Equatable {
  let item: InstalledItem
  /// The state of the program that runs, as `lull status` has it.
  var running: String?
  /// The command and its arguments; nil for a file with a mistake.
  @OrNull var command: [String]?
  /// The mistakes in its file, one in each line.
  @OrNull var mistake: String?

  init(_ item: InstalledItem) { self.item = item }

  /// One whose file the daemon has not seen.
  init(name: String) { item = InstalledItem { $0.name = name } }

  subscript<Value>(dynamicMember field: KeyPath<InstalledItem, Value>) -> Value { item[keyPath: field] }

  /// Nil: it has another state than this version knows, or the daemon has not seen its file.
  var state: InstalledState? { InstalledState(rawValue: item.state) }
  /// What may start one that has ended by itself, beside the next start of lulld and the user.
  var starters: String? { state == .ended ? item.detail : nil }
  /// Why it is not on the disk that it was quit.
  var unwritten: String? {
    if item.isWaiting { return "it is being written" }
    return state == .ended ? nil : item.detail
  }

  enum CodingKeys: String, CodingKey {
    case state, unwritten, command, mistake
  }

  func encode(to encoder: any Encoder) throws {
    try item.encode(to: encoder)
    var keys = encoder.container(keyedBy: CodingKeys.self)
    try keys.encode(OrNull(wrappedValue: state?.rawValue), forKey: .state)
    try keys.encode(OrNull(wrappedValue: unwritten), forKey: .unwritten)
    try keys.encode(_command, forKey: .command)
    try keys.encode(_mistake, forKey: .mistake)
  }
}

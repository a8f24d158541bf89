import LullWire

/// An installed program, for `lull list`. The keys of its JSON are a promise: new keys may be added, these
/// stay.
struct InstalledReport: Encodable, Equatable {
  let name: String
  /// nil: it has another state than this version knows, or the daemon has not seen its file.
  var state: InstalledState?
  /// The state of the program that runs, as `lull status` has it.
  var running: String?
  /// The reason for which it is started next, or was started last.
  @OrNull var reason: String?
  /// How often in a row it crashed or could not be started.
  var restarts: Int64 = 0
  @OrNull var dueInSeconds: Double?
  /// What may start one that has ended by itself, beside the next start of lulld and the user.
  var starters: String?
  /// Why it is not on the disk that it was quit.
  @OrNull var unwritten: String?
  /// The reason for which it could not be started.
  @OrNull var text: String?
  /// The command and its arguments; nil for a file with a mistake.
  @OrNull var command: [String]?
  /// The mistakes in its file, one in each line.
  @OrNull var mistake: String?

  enum CodingKeys: String, CodingKey {
    case name, state, reason, restarts, dueInSeconds, unwritten, text, command, mistake
  }

  init(name: String) { self.name = name }

  init(_ item: Message) throws(WireError) {
    name = try item.string(.name)
    state = InstalledState(rawValue: try item.string(.state))
    reason = item[.cause]
    restarts = try item.integer(ifPresent: .restarts) ?? 0
    dueInSeconds = try item.number(ifPresent: .dueInSeconds)
    text = item[.text]
    if state == .ended { starters = item[.detail] } else { unwritten = item[.detail] }
    if try item.flag(.waiting) { unwritten = "it is being written" }
  }

  func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: CodingKeys.self)
    try keys.encode(name, forKey: .name)
    try keys.encode(OrNull(wrappedValue: state?.rawValue), forKey: .state)
    try keys.encode(_reason, forKey: .reason)
    try keys.encode(restarts, forKey: .restarts)
    try keys.encode(_dueInSeconds, forKey: .dueInSeconds)
    try keys.encode(_unwritten, forKey: .unwritten)
    try keys.encode(_text, forKey: .text)
    try keys.encode(_command, forKey: .command)
    try keys.encode(_mistake, forKey: .mistake)
  }
}

public import LullSystem
package import LullWire

/// The state that is kept over a restart: a message `player` and a message `file` for each item, with the
/// grammar of docs/PROTOCOL.md.
public struct SavedState: Equatable {
  var entries: [QueueEntry] = []
  /// The current item's index.
  var index: Int?
  /// Seconds into the current item.
  var seconds = 0.0
  var volume = 100
  var repeatMode = RepeatMode.off
  var isShuffled = false
  var replayGain = ReplayGainSettings()
  /// The number that tells this queue from earlier ones: the place, in a file of its own, belongs to one of
  /// them.
  var number: UInt64 = 0

  /// The state at the first start.
  init() {}

  func encoded() -> [UInt8] {
    var head = Message("player", Field("version", "1"), Field("volume", String(volume)))
    head.append([("repeat", repeatMode.rawValue), ("shuffle", isShuffled ? "true" : nil)])
    if replayGain != ReplayGainSettings() { head.append(replayGain.fields) }
    head.append(placeFields)
    var bytes: [UInt8] = []
    for message in [head] + entries.map({ $0.message("file") }) {
      // A path came in a message, and so fits into one.
      try? message.encode(into: &bytes)
    }
    return bytes
  }

  /// Nil when the bytes are not such a file. A field that is missing or makes no sense is as at the first
  /// start.
  init?(_ bytes: [UInt8]) {
    var isPlayer = false
    for message in Message.all(in: bytes) {
      switch message.verb {
      case "player" where message["version"] == "1":
        isPlayer = true
        volume = message["volume"].flatMap { Int($0) }.map { min(100, max(0, $0)) } ?? 100
        repeatMode = message["repeat"].flatMap(RepeatMode.init(rawValue:)) ?? .off
        isShuffled = message["shuffle"] == "true"
        replayGain = ReplayGainSettings(message)
        number = message["number"].flatMap { UInt64($0) } ?? 0
        readPlace(message)
      case "file": if let entry = QueueEntry(message) { entries.append(entry) }
      default: continue
      }
    }
    guard isPlayer else { return nil }
    forgetImpossiblePlace()
  }

  private var placeFields: [(String, String?)] {
    [
      ("number", String(number)), ("index", index.map { String($0) }),
      ("position", index == nil ? nil : String(seconds)),
    ]
  }

  /// The bytes of the place alone, always the same number, since they overwrite each other.
  func encodedPlace() -> [UInt8] {
    var place = Message("place")
    place.append(placeFields)
    let bytes = (try? place.encoded()) ?? []
    return bytes + Array(repeating: UInt8(ascii: "\n"), count: max(0, 160 - bytes.count))
  }

  /// Takes the place over, when it belongs to this queue.
  mutating func take(place bytes: [UInt8]) {
    guard let message = Message.all(in: bytes).first, message.verb == "place",
      message["number"].flatMap({ UInt64($0) }) == number
    else { return }
    readPlace(message)
    forgetImpossiblePlace()
  }

  private mutating func readPlace(_ message: Message) {
    index = message["index"].flatMap { Int($0) }
    seconds = message["position"].flatMap { Double($0) }.map { $0.isFinite ? max(0, $0) : 0 } ?? 0
  }

  private mutating func forgetImpossiblePlace() {
    if let index, !entries.indices.contains(index) { (self.index, seconds) = (nil, 0) }
  }
}

extension Message {
  /// Adds those fields that have a value.
  package mutating func append(_ fields: [(String, String?)]) {
    for case (let key, let value?) in fields { append(Field(key, value)) }
  }

  fileprivate static func all(in bytes: [UInt8]) -> [Message] {
    var reader = LineReader()
    reader.append(bytes[...])
    var messages: [Message] = []
    while let line = reader.next() {
      if case .message(let message) = line.content { messages.append(message) }
    }
    return messages
  }
}

extension ReplayGainSettings {
  package var fields: [(String, String?)] { [("replayGain", mode.rawValue), ("preamp", String(preamp))] }

  /// A field that is missing or makes no sense is as at the first start.
  package init(_ message: Message) {
    self.init(
      mode: message["replayGain"].flatMap(ReplayGainMode.init(rawValue:)) ?? .off,
      preamp: message["preamp"].flatMap { Double($0) } ?? 0)
  }
}

extension QueueEntry {
  package func message(_ verb: String) -> Message {
    var message = Message(verb, Field("path", location.text))
    guard let excerpt else { return message }
    message.append([("start", String(excerpt.start)), ("end", excerpt.end.map { String($0) })])
    message.append(excerpt.tags.named)
    return message
  }

  /// Nil without a location. A part that is impossible is none.
  package init?(_ message: Message) {
    guard let location = message["path"].flatMap(Location.init(text:)) else { return nil }
    self.init(location)
    guard let start = message["start"].flatMap({ Int($0) }) else { return }
    let end = message["end"].map { Int($0) ?? -1 }
    excerpt = Excerpt(start: start, end: end, tags: Tags { message[$0] })
  }
}

/// The file of the saved state.
///
/// The place moves on while the rest stays, so it has a file of its own, `queue.place`, which is overwritten
/// in place. That costs a sleeping player no further wake-up, and works on a full disk.
public final class StateFile {
  let path: String
  /// The number of the state that was written last, without which a place means nothing.
  private var number: UInt64?

  /// The file at an absolute path.
  public init(path: String) { self.path = path }

  private var placePath: String { path + ".place" }

  /// The saved state; nil when there is none. A file that holds something else is renamed to `queue.unread`.
  public func load() throws(SystemError) -> SavedState? {
    let state = try peek()
    number = state?.number
    if state == nil, Files.exists(path) { try Files.rename(path, to: path + ".unread") }
    return state
  }

  /// The saved state, for a reader that changes nothing; nil when there is none, or the file holds something
  /// else.
  public func peek() throws(SystemError) -> SavedState? {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.read(path, limit: 1 << 26)
    } catch {
      if error.isNoSuchFile { return nil }
      throw error
    }
    var state = SavedState(bytes)
    if let place = try? Files.read(placePath, limit: 4096) { state?.take(place: place) }
    return state
  }

  /// Replaces the file as a whole; when that fails the old one is still there.
  public func save(_ state: SavedState) throws(SystemError) {
    var state = state
    state.number = UInt64.random(in: 0...UInt64.max)
    do throws(SystemError) {
      try Files.replace(path, with: state.encoded())
    } catch {
      guard error.isNoSuchFile, let slash = path.lastIndex(of: "/") else { throw error }
      try Files.makeDirectories(String(path[..<slash]))
      try Files.replace(path, with: state.encoded())
    }
    number = state.number
  }

  /// Remembers the place alone, in the queue that was saved last.
  public func savePlace(_ state: SavedState) throws(SystemError) {
    guard let number else { return try save(state) }
    var state = state
    state.number = number
    try Files.overwrite(placePath, with: state.encodedPlace())
  }
}

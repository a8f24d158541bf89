public import LullSystem
package import LullWire

/// The state that is kept over a restart: a message `place`, a message `player` and a message `file` for each
/// item, with the grammar of docs/PROTOCOL.md.
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

  /// The state at the first start.
  init() {}

  func encoded() -> [UInt8] {
    var head = Message("player", Field("version", "1"), Field("volume", String(volume)))
    head.append([("repeat", repeatMode.rawValue), ("shuffle", isShuffled ? "true" : nil)])
    if replayGain != ReplayGainSettings() { head.append(replayGain.fields) }
    var bytes = encodedPlace()
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
      case "place":
        index = message["index"].flatMap { Int($0) }
        seconds = message["position"].flatMap { Double($0) }.map { $0.isFinite ? max(0, $0) : 0 } ?? 0
      case "file": if let entry = QueueEntry(message) { entries.append(entry) }
      default: continue
      }
    }
    guard isPlayer else { return nil }
    if let index, !entries.indices.contains(index) { (self.index, seconds) = (nil, 0) }
  }

  /// The first bytes of the file, always the same number, since they are overwritten in place.
  func encodedPlace() -> [UInt8] {
    var place = Message("place")
    place.append([
      ("index", index.map { String($0) }), ("position", index == nil ? nil : String(seconds)),
    ])
    let bytes = (try? place.encoded()) ?? []
    return bytes + Array(repeating: UInt8(ascii: "\n"), count: max(0, 128 - bytes.count))
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
    guard let location = message["path"].flatMap(MediaLocation.init(text:)) else { return nil }
    self.init(location)
    guard let start = message["start"].flatMap({ Int($0) }) else { return }
    let end = message["end"].map { Int($0) ?? -1 }
    excerpt = Excerpt(start: start, end: end, tags: Tags { message[$0] })
  }
}

/// The file of the saved state.
///
/// The place moves on while the rest stays, so it stands at the beginning and is overwritten there. That
/// costs a sleeping player no further wake-up, and works on a full disk.
public final class SavedStateFile {
  let path: String
  /// The file that this has written as a whole: no other one in its place is overwritten.
  private var own: FileIdentity?

  /// The file at an absolute path.
  public init(path: String) { self.path = path }

  /// The saved state; nil when there is none. A file that holds something else is renamed to `queue.unread`.
  public func load() throws(SystemError) -> SavedState? {
    let state = try peek()
    if state == nil, Files.exists(path) { try Files.rename(path, to: path + ".unread") }
    return state
  }

  /// The saved state, for a reader that changes nothing; nil when there is none, or the file holds something
  /// else.
  public func peek() throws(SystemError) -> SavedState? {
    do throws(SystemError) {
      return SavedState(try Files.read(path, limit: 1 << 26))
    } catch {
      if error.isNoSuchFile { return nil }
      throw error
    }
  }

  /// Replaces the file as a whole; when that fails the old one is still there.
  public func save(_ state: SavedState) throws(SystemError) {
    do throws(SystemError) {
      try Files.replace(path, with: state.encoded())
    } catch {
      guard error.isNoSuchFile, let slash = path.lastIndex(of: "/") else { throw error }
      try Files.makeDirectories(String(path[..<slash]))
      try Files.replace(path, with: state.encoded())
    }
    own = Files.identity(path)
  }

  /// Remembers the place alone, in the queue that was saved last.
  public func savePlace(_ state: SavedState) throws(SystemError) {
    guard let own, Files.identity(path) == own else { return try save(state) }
    try Files.overwrite(path, with: state.encodedPlace())
  }
}

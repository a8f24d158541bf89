import LullWire

/// The state that is kept over a restart: a message `player` and a message `file` for each item, with the
/// grammar of docs/PROTOCOL.md.
public struct SavedState: Equatable {
  /// The entries, in the order of the queue.
  public var entries: [QueueEntry] = []
  /// The current item's index.
  public var index: Int?
  /// Seconds into the current item.
  public var seconds = 0.0
  /// The volume in percent.
  public var volume = 100
  /// The mode of repeating.
  public var repeatMode = RepeatMode.off
  /// True when the order of playing is random.
  public var isShuffled = false
  /// The settings by which the loudness of the items is evened out.
  public var replayGain = ReplayGainSettings()

  /// The number that tells this queue from earlier ones: the place, in a file of its own, belongs to one of
  /// them.
  var number: UInt64 = 0

  /// The state at the first start.
  public init() {}

  /// The file's bytes.
  public func encoded() -> [UInt8] {
    var head = Message("player", Field("version", "1"), Field("volume", String(volume)))
    head.append(Field("repeat", repeatMode.rawValue))
    head.append(Field("number", String(number)))
    if isShuffled { head.append(Field("shuffle", "true")) }
    if replayGain != ReplayGainSettings() { head.append(replayGain) }
    if let index {
      head.append(Field("index", String(index)))
      head.append(Field("position", String(seconds)))
    }
    var bytes: [UInt8] = []
    for message in [head] + entries.map({ $0.message("file") }) {
      // A path came in a message, and so fits into one.
      try? message.encode(into: &bytes)
    }
    return bytes
  }

  /// Reads the file's bytes; nil when it is not such a file. A field that is missing or makes no sense is as
  /// at the first start.
  public init?(_ bytes: [UInt8]) {
    var reader = LineReader()
    reader.append(bytes[...])
    var isPlayer = false
    while let line = reader.next() {
      guard case .message(let message) = line.content else { continue }
      switch message.verb {
      case "player" where message["version"] == "1":
        isPlayer = true
        read(message)
      case "file": if let entry = QueueEntry(message) { entries.append(entry) }
      default: continue
      }
    }
    guard isPlayer else { return nil }
    forgetImpossiblePlace()
  }

  /// The bytes of the place alone, always the same number, since they overwrite each other.
  func encodedPlace() -> [UInt8] {
    var place = Message("place", Field("number", String(number)), Field("position", String(seconds)))
    if let index { place.append(Field("index", String(index))) }
    let bytes = (try? place.encoded()) ?? []
    return bytes + Array(repeating: UInt8(ascii: "\n"), count: max(0, 160 - bytes.count))
  }

  /// Takes the place over, when it belongs to this queue.
  mutating func take(place bytes: [UInt8]) {
    var reader = LineReader()
    reader.append(bytes[...])
    guard case .message(let message)? = reader.next()?.content, message.verb == "place",
      message["number"].flatMap({ UInt64($0) }) == number
    else { return }
    readPlace(message)
    forgetImpossiblePlace()
  }

  private mutating func forgetImpossiblePlace() {
    if let index, !entries.indices.contains(index) { (self.index, seconds) = (nil, 0) }
  }

  private mutating func read(_ message: Message) {
    volume = message["volume"].flatMap { Int($0) }.map { min(100, max(0, $0)) } ?? 100
    repeatMode = message["repeat"].flatMap(RepeatMode.init(rawValue:)) ?? .off
    isShuffled = message["shuffle"] == "true"
    replayGain = ReplayGainSettings(message)
    number = message["number"].flatMap { UInt64($0) } ?? 0
    readPlace(message)
  }

  private mutating func readPlace(_ message: Message) {
    index = message["index"].flatMap { Int($0) }
    seconds = message["position"].flatMap { Double($0) }.map { $0.isFinite ? max(0, $0) : 0 } ?? 0
  }
}

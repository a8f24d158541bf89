public import LullWire

/// What is remembered over a restart: a message `player` and a message `file` for each item, with the grammar
/// of docs/PROTOCOL.md.
public struct SavedState: Equatable {
  /// In the order of the queue.
  public var entries: [QueueEntry] = []
  /// The current item's index.
  public var index: Int?
  /// Seconds into it.
  public var seconds = 0.0
  /// In percent.
  public var volume = 100
  /// What comes after the last item, or after each.
  public var repeatMode = RepeatMode.off
  /// Whether the order of playing is made by chance.
  public var isShuffled = false
  /// How the loudness of the items is evened out.
  public var replayGain = ReplayGainSettings()

  /// Tells this queue from those before: the place in a file of its own belongs to one of them.
  var number: UInt64 = 0

  /// What is remembered at the first start.
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
    for message in [head] + entries.map(\.message) {
      // A path came in such a line, and so fits into one.
      try? message.encode(into: &bytes)
    }
    return bytes
  }

  /// Reads the file's bytes; nil when it is not such a file. What is missing or makes no sense is as at the
  /// first start.
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

  /// The bytes of the place alone: always as many, since they are written over each other.
  func encodedPlace() -> [UInt8] {
    var place = Message("place", Field("number", String(number)), Field("position", String(seconds)))
    if let index { place.append(Field("index", String(index))) }
    let bytes = (try? place.encoded()) ?? []
    return bytes + Array(repeating: UInt8(ascii: "\n"), count: max(0, 160 - bytes.count))
  }

  /// Takes up the place, when it is one in this queue.
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

extension QueueEntry {
  /// The line that `init` reads.
  var message: Message {
    var message = Message("file", Field("path", location.text))
    if let excerpt { message.append(excerpt) }
    return message
  }

  init?(_ message: Message) {
    guard let location = message["path"].flatMap(Location.init(text:)) else { return nil }
    self.init(location, Excerpt(message))
  }
}

extension Message {
  /// Adds the fields of a part of a file.
  public mutating func append(_ excerpt: Excerpt) {
    append(Field("start", String(excerpt.start)))
    let tags = excerpt.tags
    let fields = [
      ("end", excerpt.end.map { String($0) }), ("title", tags.title), ("artist", tags.artist),
      ("album", tags.album), ("genre", tags.genre), ("trackNumber", tags.trackNumber),
    ]
    for case (let key, let value?) in fields { append(Field(key, value)) }
  }
}

extension Excerpt {
  /// Reads the fields of a part of a file; nil when there is none, or it is impossible.
  public init?(_ message: Message) {
    guard let start = message["start"].flatMap({ Int($0) }) else { return nil }
    let end = message["end"].map { Int($0) ?? -1 }
    self.init(start: start, end: end, tags: Tags(message))
  }
}

extension Tags {
  /// Reads the fields of the words that go with a sound.
  public init(_ message: Message) {
    self.init(
      title: message["title"], artist: message["artist"], album: message["album"], genre: message["genre"],
      trackNumber: message["trackNumber"])
  }
}

extension Message {
  /// Adds the fields `replayGain` and `preamp`.
  public mutating func append(_ settings: ReplayGainSettings) {
    append(Field("replayGain", settings.mode.rawValue))
    append(Field("preamp", String(settings.preamp)))
  }
}

extension ReplayGainSettings {
  /// Reads these fields; what is missing or makes no sense is as at the first start.
  public init(_ message: Message) {
    self.init(
      mode: message["replayGain"].flatMap(ReplayGainMode.init(rawValue:)) ?? .off,
      preamp: message["preamp"].flatMap { Double($0) } ?? 0)
  }
}

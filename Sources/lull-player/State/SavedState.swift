import LullWire

/// What is remembered over a restart: a message `player` and a message `file` for each file, with the grammar of
/// docs/PROTOCOL.md.
struct SavedState: Equatable {
  var paths: [String] = []
  /// The current item's index.
  var index: Int?
  /// Seconds into it.
  var seconds = 0.0
  var volume = 100
  var repeatMode = RepeatMode.off

  /// The file's bytes.
  func encoded() -> [UInt8] {
    var head = Message("player", Field("version", "1"), Field("volume", String(volume)))
    head.append(Field("repeat", repeatMode.rawValue))
    if let index {
      head.append(Field("index", String(index)))
      head.append(Field("position", String(seconds)))
    }
    var bytes: [UInt8] = []
    for message in [head] + paths.map({ Message("file", Field("path", $0)) }) {
      // A path came in such a line, and so fits into one.
      try? message.encode(into: &bytes)
    }
    return bytes
  }

  init() {}

  /// Reads the file's bytes; nil when it is not such a file. What is missing or makes no sense is as at the first start.
  init?(_ bytes: [UInt8]) {
    var reader = LineReader()
    reader.append(bytes[...])
    var isPlayer = false
    while let line = reader.next() {
      guard case .message(let message) = line.content else { continue }
      switch message.verb {
      case "player" where message["version"] == "1":
        isPlayer = true
        read(message)
      case "file": if let path = message["path"] { paths.append(path) }
      default: continue
      }
    }
    guard isPlayer else { return nil }
    if let index, !paths.indices.contains(index) { (self.index, seconds) = (nil, 0) }
  }

  private mutating func read(_ message: Message) {
    volume = message["volume"].flatMap { Int($0) }.map { min(100, max(0, $0)) } ?? 100
    repeatMode = message["repeat"].flatMap(RepeatMode.init(rawValue:)) ?? .off
    index = message["index"].flatMap { Int($0) }
    seconds = message["position"].flatMap { Double($0) }.map { $0.isFinite ? max(0, $0) : 0 } ?? 0
  }
}

extension QueuePlayer {
  /// What is to be remembered now.
  var savedState: SavedState {
    var state = SavedState()
    state.paths = queue.items.map(\.path)
    state.index = currentItem.flatMap { queue.index(of: $0.id) }
    state.seconds = position
    state.volume = volume
    state.repeatMode = queue.repeatMode
    return state
  }

  /// Takes up what was remembered, paused: a command that starts the player must not start music that nobody asked for.
  func restore(_ state: SavedState) {
    for path in state.paths { queue.append(path: path, description: (try? Decoder(path: path))?.description) }
    queue.repeatMode = state.repeatMode
    setVolume(state.volume)
    guard let index = state.index, queue.items.indices.contains(index) else { return }
    park(at: Place(item: queue.items[index].id, seconds: state.seconds))
    setIntent(.paused)
  }
}

import LullPlayer
import LullSystem
import LullWire

/// The player's report of itself, as one message. The position moves on while the player plays: the reader
/// computes it from the time since the report.
struct StatusReport: Equatable {
  var status = QueuePlayer.Status.stopped
  /// The current item's number, from 1; nil when no item is current.
  var index: Int?
  var count = 0
  var path: String?
  var tags = Tags()
  /// The image file of the cover.
  var cover: String?
  /// The duration in seconds.
  var duration: Double?
  var position = 0.0
  /// The moment of the position, in nanoseconds of CLOCK_BOOTTIME.
  var at: Int64 = 0
  var volume = 100
  var repeatMode = RepeatMode.off
  var isShuffled = false
  var replayGain = ReplayGainSettings()
  /// The stream's report; nil for a file.
  var stream: StreamReport?
  var note: String?
  var troubles = PlayerTroubles()

  /// The position at a moment of CLOCK_BOOTTIME, at most the item's end.
  func position(at now: Int64) -> Double {
    guard status == .playing, stream?.isHeard ?? true else { return position }
    let moved = position + max(0, Double(now) - Double(at)) / 1e9
    return duration.map { min($0, moved) } ?? moved
  }

  /// The title with the artist, or the file's name; nil when no item is current.
  var title: String? {
    guard let path else { return nil }
    guard let title = tags.title else { return Location(text: path)?.name ?? path }
    return tags.artist.map { "\($0) - \(title)" } ?? title
  }
}

extension StatusReport {
  init(
    _ player: QueuePlayer, _ troubles: PlayerTroubles = PlayerTroubles(), covers: Covers? = nil,
    at now: Int64 = Clock.boottime()
  ) {
    let item = player.currentItem
    status = player.status
    index = item.flatMap { player.queue.index(of: $0.id) }.map { $0 + 1 }
    count = player.queue.items.count
    path = item?.location.text
    tags = item?.tags ?? Tags()
    cover = item.flatMap { covers?.cover(of: $0.location) }?.text
    duration = item?.duration
    position = player.position
    at = now
    volume = player.volume
    repeatMode = player.queue.repeatMode
    isShuffled = player.queue.isShuffled
    replayGain = player.replayGain
    stream = item.flatMap { StreamReport($0, isWanted: player.status == .playing) }
    note = player.note
    self.troubles = troubles
  }

  func message(_ verb: String) -> Message {
    let optional: [(String, String?)] = [
      ("index", index.map { String($0) }), ("path", path), ("title", tags.title), ("artist", tags.artist),
      ("album", tags.album), ("genre", tags.genre), ("trackNumber", tags.trackNumber),
      ("duration", duration.map { String($0) }), ("cover", cover), ("note", note),
      ("withoutMpris", troubles.withoutMpris), ("unsaved", troubles.unsaved),
    ]
    var message = Message(verb, Field("status", status.rawValue), Field("count", String(count)))
    message.append(Field("position", String(position)))
    message.append(Field("at", String(at)))
    message.append(Field("volume", String(volume)))
    message.append(Field("repeat", repeatMode.rawValue))
    message.append(Field("shuffle", isShuffled ? "on" : "off"))
    message.append(replayGain)
    for case (let key, let value?) in optional { message.append(Field(key, value)) }
    if let stream { message.append(stream) }
    return message
  }

  /// Reads the form of `message`; nil when the status is missing.
  init?(_ message: Message) {
    guard let status = message["status"].flatMap(QueuePlayer.Status.init(rawValue:)) else { return nil }
    self.status = status
    index = message["index"].flatMap { Int($0) }
    count = message["count"].flatMap { Int($0) } ?? 0
    path = message["path"]
    tags = Tags(
      title: message["title"], artist: message["artist"], album: message["album"], genre: message["genre"],
      trackNumber: message["trackNumber"])
    cover = message["cover"]
    duration = message["duration"].flatMap { Double($0) }
    position = message["position"].flatMap { Double($0) } ?? 0
    at = message["at"].flatMap { Int64($0) } ?? 0
    volume = message["volume"].flatMap { Int($0) } ?? 100
    repeatMode = message["repeat"].flatMap(RepeatMode.init(rawValue:)) ?? .off
    isShuffled = message["shuffle"] == "on"
    replayGain = ReplayGainSettings(message)
    stream = StreamReport(message)
    note = message["note"]
    troubles = PlayerTroubles(withoutMpris: message["withoutMpris"], unsaved: message["unsaved"])
  }
}

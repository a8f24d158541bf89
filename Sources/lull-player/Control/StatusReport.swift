import LullPlayer
import LullSystem
import LullWire

/// The player's report of itself, as one message. The position moves on while the player plays: the reader
/// computes it from the time since the report.
struct StatusReport: Equatable {
  let message: Message

  /// Nil when the status is missing.
  init?(_ message: Message) {
    guard message["status"].flatMap(QueuePlayer.Status.init(rawValue:)) != nil else { return nil }
    self.message = message
  }

  init() { message = Message("ok", Field("status", QueuePlayer.Status.stopped.rawValue)) }

  init(
    _ player: QueuePlayer, _ troubles: PlayerTroubles = PlayerTroubles(), covers: Covers? = nil,
    verb: String = "ok", at now: Int64 = Clock.boottime()
  ) {
    let item = player.currentItem
    let tags = item?.tags ?? Tags()
    var message = Message(verb, Field("status", player.status.rawValue))
    message.append(Field("count", String(player.queue.items.count)))
    message.append(Field("position", String(player.position)))
    message.append(Field("at", String(now)))
    message.append(Field("volume", String(player.volume)))
    message.append(Field("repeat", player.queue.repeatMode.rawValue))
    message.append(Field("shuffle", player.queue.isShuffled ? "on" : "off"))
    message.append(player.replayGain)
    let index = item.flatMap { player.queue.index(of: $0.id) }.map { String($0 + 1) }
    let optional: [(String, String?)] = [
      ("index", index), ("path", item?.location.text), ("title", tags.title), ("artist", tags.artist),
      ("album", tags.album), ("genre", tags.genre), ("trackNumber", tags.trackNumber),
      ("duration", item?.duration.map { String($0) }),
      ("cover", item.flatMap { covers?.cover(of: $0.location) }?.text), ("note", player.note),
      ("withoutMpris", troubles.withoutMpris), ("unsaved", troubles.unsaved),
    ]
    for case (let key, let value?) in optional { message.append(Field(key, value)) }
    if let item { message.append(streamOf: item, isWanted: player.status == .playing) }
    self.message = message
  }

  private func number(_ key: String) -> Double? { message[key].flatMap { Double($0) } }
  private func integer(_ key: String) -> Int? { message[key].flatMap { Int($0) } }

  var status: QueuePlayer.Status { message["status"].flatMap(QueuePlayer.Status.init(rawValue:)) ?? .stopped }
  /// The current item's number, from 1; nil when no item is current.
  var index: Int? { integer("index") }
  var count: Int { integer("count") ?? 0 }
  var path: String? { message["path"] }
  var tags: Tags { Tags(message) }
  /// The duration in seconds.
  var duration: Double? { number("duration") }
  var position: Double { number("position") ?? 0 }
  /// The moment of the position, in nanoseconds of CLOCK_BOOTTIME.
  var at: Int64 { message["at"].flatMap { Int64($0) } ?? 0 }
  var volume: Int { integer("volume") ?? 100 }
  var repeatMode: RepeatMode { message["repeat"].flatMap(RepeatMode.init(rawValue:)) ?? .off }
  var isShuffled: Bool { message["shuffle"] == "on" }
  var replayGain: ReplayGainSettings { ReplayGainSettings(message) }
  /// Nil for a file.
  var stream: StreamActivity? { message["stream"].flatMap(StreamActivity.init(rawValue:)) }
  /// Bits per second of the stream, as the station tells.
  var bitRate: Int? { integer("bitRate") }

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

  /// The stream's activity and station; nil for a file, or where there is nothing to say.
  var streamText: String? {
    guard let stream else { return nil }
    let reason = message["reason"].map { " (\($0))" } ?? ""
    let words = [
      stream == .off ? nil : stream.rawValue + reason, message["station"],
      bitRate.map { "\($0 / 1000) kbit/s" },
    ].compactMap(\.self)
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
}

/// The activity of a stream. Raw values are the protocol's words.
enum StreamActivity: String {
  /// The stream has no description yet.
  case connecting
  case buffering, playing, reconnecting
  /// The stream is not to play now.
  case off

  /// True when the position moves on.
  var isHeard: Bool { self == .playing || self == .reconnecting }
}

extension Message {
  fileprivate mutating func append(streamOf item: PlayerItem, isWanted: Bool) {
    guard case .stream = item.location else { return }
    let info = item.description?.stream
    var (activity, reason): (StreamActivity, String?) = (.connecting, nil)
    switch info?.activity {
    case _ where !isWanted: activity = .off
    case nil: break
    case .buffering?: activity = .buffering
    case .playing?: activity = .playing
    case .reconnecting(let why)?: (activity, reason) = (.reconnecting, why)
    }
    let fields: [(String, String?)] = [
      ("stream", activity.rawValue), ("live", info.map { String($0.isLive) }), ("station", info?.station),
      ("bitRate", info?.bitRate.map { String($0) }), ("reason", reason),
    ]
    for case (let key, let value?) in fields { append(Field(key, value)) }
  }
}

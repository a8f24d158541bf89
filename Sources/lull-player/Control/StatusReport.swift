import LullPlayer
import LullSystem
import LullWire

/// The troubles around the player, in one text line each; nil where there is none.
struct PlayerTroubles: Equatable {
  var withoutMpris: String?
  var unsaved: String?
}

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
    var message = Message(verb, Field("status", player.status.rawValue))
    message.append([
      ("count", String(player.queue.items.count)), ("position", String(player.position)), ("at", String(now)),
      ("volume", String(player.volume)), ("repeat", player.queue.repeatMode.rawValue),
      ("shuffle", player.queue.isShuffled ? "on" : "off"),
      ("index", item.flatMap { player.queue.index(of: $0.id) }.map { String($0 + 1) }),
      ("path", item?.location.text), ("duration", item?.duration.map { String($0) }),
      ("cover", item.flatMap { covers?.cover(of: $0.location) }?.text), ("note", player.note),
      ("withoutMpris", troubles.withoutMpris), ("unsaved", troubles.unsaved),
    ])
    message.append(player.replayGain.fields)
    message.append(item?.tags.named ?? [])
    if let item, case .stream = item.location {
      message.append(Self.fields(of: item.description?.stream, isWanted: player.status == .playing))
    }
    self.message = message
  }

  private static func fields(of info: StreamInfo?, isWanted: Bool) -> [(String, String?)] {
    var (activity, reason): (StreamActivity, String?) = (isWanted ? .connecting : .off, nil)
    switch info?.activity {
    case _ where !isWanted, nil: break
    case .buffering?: activity = .buffering
    case .playing?: activity = .playing
    case .reconnecting(let why)?: (activity, reason) = (.reconnecting, why)
    }
    return [
      ("stream", activity.rawValue), ("live", info.map { String($0.isLive) }), ("station", info?.station),
      ("bitRate", info?.bitRate.map { String($0) }), ("reason", reason),
    ]
  }

  func number(_ key: String) -> Double? { message[key].flatMap { Double($0) } }
  func integer(_ key: String) -> Int? { message[key].flatMap { Int($0) } }

  var status: QueuePlayer.Status {
    message["status"].flatMap(QueuePlayer.Status.init(rawValue:)) ?? .stopped
  }
  var count: Int { integer("count") ?? 0 }
  var tags: Tags { Tags { message[$0] } }
  /// In seconds.
  var duration: Double? { number("duration") }
  var position: Double { number("position") ?? 0 }
  /// The moment of the position, in nanoseconds of CLOCK_BOOTTIME.
  var at: Int64 { message["at"].flatMap { Int64($0) } ?? 0 }
  /// Nil for a file.
  var stream: StreamActivity? { message["stream"].flatMap(StreamActivity.init(rawValue:)) }

  /// The position at a moment of CLOCK_BOOTTIME, at most the item's end.
  func position(at now: Int64) -> Double {
    guard status == .playing, stream?.isHeard ?? true else { return position }
    let moved = position + max(0, Double(now) - Double(at)) / 1e9
    return duration.map { min($0, moved) } ?? moved
  }

  /// The title with the artist, or the file's name; nil when no item is current.
  var title: String? {
    message["path"].map { tags.fullTitle ?? MediaLocation(text: $0)?.name ?? $0 }
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

import LullPlayer
import LullWire

/// The player's report of a stream.
struct StreamReport: Equatable {
  /// The activity of a stream. Raw values are the protocol's words.
  enum Activity: String {
    /// The stream has no description yet.
    case connecting
    case buffering, playing, reconnecting
    /// The stream is not to play now.
    case off
  }

  var activity: Activity
  /// True when the stream has no end; nil when that is not known yet.
  var isLive: Bool?
  var station: String?
  /// Bits per second.
  var bitRate: Int?
  var reason: String?

  /// True when the position moves on.
  var isHeard: Bool { activity == .playing || activity == .reconnecting }

  /// The report of an item; nil for a file.
  init?(_ item: PlayerItem, isWanted: Bool) {
    guard case .stream = item.location else { return nil }
    let info = item.description?.stream
    (isLive, station, bitRate) = (info?.isLive, info?.station, info?.bitRate)
    switch info?.activity {
    case _ where !isWanted: activity = .off
    case nil: activity = .connecting
    case .buffering?: activity = .buffering
    case .playing?: activity = .playing
    case .reconnecting(let reason)?: (activity, self.reason) = (.reconnecting, reason)
    }
  }

  /// Reads the fields of `append`; nil where there are none.
  init?(_ message: Message) {
    guard let activity = message["stream"].flatMap(Activity.init(rawValue:)) else { return nil }
    self.activity = activity
    isLive = message["live"].map { $0 == "true" }
    station = message["station"]
    bitRate = message["bitRate"].flatMap { Int($0) }
    reason = message["reason"]
  }

  /// The report for people.
  var text: String {
    let words = [
      activity == .off ? nil : activity.rawValue + (reason.map { " (\($0))" } ?? ""), station,
      bitRate.map { "\($0 / 1000) kbit/s" },
    ]
    return words.compactMap(\.self).joined(separator: ", ")
  }
}

extension Message {
  /// Adds the fields of a stream.
  mutating func append(_ stream: StreamReport) {
    append(Field("stream", stream.activity.rawValue))
    let fields = [
      ("live", stream.isLive.map { String($0) }), ("station", stream.station),
      ("bitRate", stream.bitRate.map { String($0) }), ("reason", stream.reason),
    ]
    for case (let key, let value?) in fields { append(Field(key, value)) }
  }
}

import LullAudio
import LullSystem
import LullWire

extension AudioReport {
  /// The line to lulld.
  var message: Message {
    switch self {
    case .began(let id): Self.message("began", id)
    case .ended(let id): Self.message("ended", id)
    case .sounding(let id): Self.message("sounding", id)
    case .quiet(let id, let seconds):
      Self.message("quiet", id).adding(.seconds, (seconds * 1000).rounded() / 1000)
    case .low(let id): Self.message("low", id)
    case .filled(let id): Self.message("filled", id)
    case .cut(let id, let reason): Self.message("cut", id).adding(.reason, reason.rawValue)
    case .routeGone: Message("route", Field("change", "gone"))
    case .routeNew(let device): Message("route", Field("change", "new"), Field("device", device))
    }
  }

  private static func message(_ verb: String, _ id: UInt64) -> Message {
    Message(verb, Field("session", "\(id)"))
  }
}

/// What an `open` line says.
struct OpenMessage {
  var request: SessionRequest
  var captures: Bool

  /// Nil for what is impossible.
  init?(_ message: Message) {
    guard let id = message.sessionID, let direction = message["direction"],
      direction == "play" || direction == "capture",
      let rate = message["rate"].flatMap(Int.init), let channels = message["channels"].flatMap(Int.init),
      let sample = message["format"].flatMap(SampleFormat.init(rawValue:)),
      let format = FrameFormat(rate: rate, channels: channels, sample: sample),
      let frames = message["frames"].flatMap(Int.init), (64...30 * rate).contains(frames)
    else { return nil }
    captures = direction == "capture"
    let latency = message["latency"].flatMap(Double.init)
    let usual =
      message["category"] == "playAndRecord"
      ? SessionRequest.conversationLatency : SessionRequest.defaultLatency
    request = SessionRequest(
      id: id, format: format, frames: frames, order: message.order ?? .play,
      isSpoken: message["spoken"] != nil,
      lowWater: message["lowWater"].flatMap(UInt64.init),
      latency: latency.flatMap { $0.isFinite ? $0 : nil } ?? usual)
  }
}

extension Message {
  var sessionID: UInt64? { self["session"].flatMap(UInt64.init) }
  var order: SessionOrder? { self["order"].flatMap(SessionOrder.init(rawValue:)) }
}

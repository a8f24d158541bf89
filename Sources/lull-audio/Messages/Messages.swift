import LullAudio
import LullWire

extension LullAudio.AudioReport {
  /// `device` is the one that a report on a device means. Nil for a session that no lulld knows.
  func message(on device: String = DeviceName.usual) -> MessageFromAudio? {
    switch self {
    case .began(let id): SessionID(given: id).map(MessageFromAudio.began)
    case .ended(let id): SessionID(given: id).map(MessageFromAudio.ended)
    case .sounding(let program, let scope): .sounding(program: program, of: scope)
    case .quiet(let program, let scope, let seconds):
      .quiet(program: program, of: scope, rest: Interval(nanoseconds: Int64(seconds * 1e9)))
    case .low(let id): SessionID(given: id).map(MessageFromAudio.low)
    case .filled(let id): SessionID(given: id).map(MessageFromAudio.filled)
    case .drained(let id): SessionID(given: id).map(MessageFromAudio.drained)
    case .cut(let id, let reason): SessionID(given: id).map { .cut($0, reason) }
    case .streams(let program, let state): .streams(program: program, state)
    case .routeGone: .route(RouteNotice(change: .gone, device: device))
    case .routeNew(let device): .route(RouteNotice(change: .new, device: device))
    }
  }
}

extension RouteReport {
  /// Nil for a session that no lulld knows.
  var message: MessageFromAudio? {
    SessionID(given: session).map {
      .route(RouteNotice(session: $0, change: .new, device: device, old: old, reason: reason))
    }
  }
}

extension SessionID {
  /// Nil for a number that lulld has not given out.
  fileprivate init?(given number: UInt64) {
    guard let number = UInt32(exactly: number) else { return nil }
    self.init(number)
  }
}

extension SessionRequest {
  /// Nil when the frames are impossible.
  init?(_ opening: AudioOpening) {
    let fields = opening.fields
    guard let format = FrameFormat(rate: fields.rate, channels: fields.channels, sample: fields.format)
    else { return nil }
    let isCall = fields.category == .playAndRecord
    let usual = isCall ? Self.conversationLatency : Self.defaultLatency
    self.init(
      id: UInt64(opening.session.number), format: format, frames: fields.frames, order: opening.order,
      // A call is speech.
      isSpoken: fields.spoken || isCall, lowWater: fields.lowWater.map(UInt64.init),
      latency: fields.latency?.seconds ?? usual, program: opening.program, silence: opening.silence)
    name = opening.name
  }
}

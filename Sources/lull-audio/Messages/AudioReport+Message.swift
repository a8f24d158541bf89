import LullAudio
import LullWire

extension LullAudio.AudioReport {
  /// The message to lulld; `device` is the one that a report on a device means. Nil for a session that no
  /// lulld knows.
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
    case .routeGone: .route(AudioRouteNews(change: .gone, device: device))
    case .routeNew(let device): .route(AudioRouteNews(change: .new, device: device))
    }
  }
}

extension RouteReport {
  /// The message to lulld; nil for a session that no lulld knows.
  var message: MessageFromAudio? {
    SessionID(given: session).map {
      .route(AudioRouteNews(session: $0, change: .new, device: device, old: old, reason: reason))
    }
  }
}

extension SessionID {
  /// The session of the ring and the board with this number; nil for a number that lulld has not given out.
  fileprivate init?(given number: UInt64) {
    guard let number = UInt32(exactly: number) else { return nil }
    self.init(number)
  }
}

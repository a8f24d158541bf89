import LullAudio
import LullEngine
import LullRing
import LullWire

extension LullAudio.AudioReport {
  /// The message to lulld; `device` is the one that a report on a device means.
  func message(on device: String = DeviceName.usual) -> MessageFromAudio {
    switch self {
    case .began(let id): .began(SessionID(clamping: id))
    case .ended(let id): .ended(SessionID(clamping: id))
    case .sounding(let program, let scope): .sounding(program: program, of: scope)
    case .quiet(let program, let scope, let seconds):
      .quiet(program: program, of: scope, rest: Interval(nanoseconds: Int64(seconds * 1e9)))
    case .low(let id): .low(SessionID(clamping: id))
    case .filled(let id): .filled(SessionID(clamping: id))
    case .drained(let id): .drained(SessionID(clamping: id))
    case .cut(let id, let reason): .cut(SessionID(clamping: id), reason)
    case .streams(let program, let state): .streams(program: program, state)
    case .routeGone: .route(AudioRouteNews(change: .gone, device: device))
    case .routeNew(let device): .route(AudioRouteNews(change: .new, device: device))
    }
  }
}

extension RouteReport {
  /// The message to lulld.
  var message: MessageFromAudio {
    .route(
      AudioRouteNews(
        session: SessionID(clamping: session), change: .new, device: device, old: old, reason: reason))
  }
}

extension SessionID {
  /// The session of the ring and the board with this number, all of which lulld gave out.
  init(clamping number: UInt64) { self.init(UInt32(clamping: number)) }
}

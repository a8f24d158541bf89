internal import LullEngine
internal import LullSystem
internal import LullWire

extension SessionOpening {
  /// The fields of `session`.
  var fields: Request.Session {
    Request.Session(
      category: category.word, direction: direction == .play ? .play : .capture, rate: format.rate,
      channels: format.channels, format: format.sample.word, frames: frames,
      mix: options.contains(.mixWithOthers), duck: options.contains(.duckOthers),
      spoken: options.contains(.spokenContent), lowWater: lowWater, latencyNanoseconds: latency?.nanoseconds,
      device: device.name)
  }
}

extension LinkNotice {
  /// One of the three notices of sound.
  init(sound message: Message) throws(WireError) {
    switch message.notice {
    case .interruption:
      let session = SessionID(try message.identifier(.session))
      switch try message.word(.phase, as: Vocabulary.InterruptionPhase.self) {
      case .began: self = .interruptionBegan(session)
      case .ended: self = .interruptionEnded(session, shouldResume: try message.flag(.shouldResume))
      }
    case .route:
      let id = message[.session] == nil ? nil : SessionID(try message.identifier(.session))
      self = .route(try AudioRouteChange(message), session: id)
    default:
      let reason = try message.word(.reason, as: Vocabulary.CutReason.self)
      self = .cut(SessionID(try message.identifier(.session)), reason.error)
    }
  }
}

extension AudioRouteChange {
  fileprivate init(_ message: Message) throws(WireError) {
    let isNew = try message.word(.change, as: Vocabulary.RouteChange.self) == .new
    device = isNew ? message[.device] ?? "default" : nil
    previous = message[.old]
    reason =
      switch try message.word(ifPresent: .reason, as: Vocabulary.RouteReason.self) {
      case .override: .override
      case .oldDeviceUnavailable: .oldDeviceUnavailable
      case .newDeviceAvailable: .newDeviceAvailable
      case nil: isNew ? .newDeviceAvailable : .oldDeviceUnavailable
      }
  }
}

extension Vocabulary.CutReason {
  fileprivate var error: RingError {
    switch self {
    case .badPosition: .badPosition
    case .noDevice: .noDevice
    case .badFormat: .badFormat
    }
  }
}

extension AudioCategory {
  fileprivate var word: Request.Category {
    switch self {
    case .ambient: .ambient
    case .soloAmbient: .soloAmbient
    case .playback: .playback
    case .record: .record
    case .playAndRecord: .playAndRecord
    }
  }
}

extension SampleFormat {
  fileprivate var word: Request.SampleFormat {
    switch self {
    case .u8: .u8
    case .s16: .s16
    case .s24: .s24
    case .s32: .s32
    case .f32: .f32
    }
  }
}

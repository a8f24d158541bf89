import LullAudio
import LullEngine
import LullSystem
import LullWire

extension AudioReport {
  /// The line to lulld.
  var message: Message {
    switch self {
    case .began(let id): Self.message(.began, id)
    case .ended(let id): Self.message(.ended, id)
    case .sounding(let program, let scope): Self.message(.sounding, program, scope)
    case .quiet(let program, let scope, let seconds):
      Self.message(.quiet, program, scope).adding(.seconds, nanoseconds: Int64(seconds * 1e9))
    case .low(let id): Self.message(.low, id)
    case .filled(let id): Self.message(.filled, id)
    case .drained(let id): Self.message(.drained, id)
    case .cut(let id, let reason): Self.message(.cut, id).adding(.reason, reason.rawValue)
    case .routeGone: Message(SoundVerb.route).adding(.change, word: Vocabulary.RouteChange.gone)
    case .routeNew(let device):
      Message(SoundVerb.route).adding(.change, word: Vocabulary.RouteChange.new).adding(.device, device)
    }
  }

  private static func message(_ verb: SoundVerb, _ id: UInt64) -> Message {
    Message(verb).adding(.session, id)
  }

  private static func message(_ verb: SoundVerb, _ program: UInt64, _ scope: AudioScope) -> Message {
    Message(verb).adding(.program, program).adding(.of, word: scope)
  }
}

/// What an `open` line says.
struct OpenMessage {
  var request: SessionRequest
  var captures: Bool
  /// The device that it names.
  var device: String?

  /// Nil for what is impossible.
  init?(_ message: Message) {
    guard let id = message.sessionID, let program = try? message.unsigned(.program),
      let fields = try? Request.Session(message),
      let sample = SampleFormat(rawValue: fields.format.rawValue),
      let format = FrameFormat(rate: fields.rate, channels: fields.channels, sample: sample)
    else { return nil }
    let silence = try? message.nanoseconds(ifPresent: .silence)
    captures = fields.direction == .capture
    device = fields.device
    let usual =
      fields.category == .playAndRecord ? SessionRequest.conversationLatency : SessionRequest.defaultLatency
    request = SessionRequest(
      id: id, format: format, frames: fields.frames, order: message.order ?? .play,
      // A call is speech.
      isSpoken: fields.spoken || fields.category == .playAndRecord,
      lowWater: fields.lowWater.map(UInt64.init),
      latency: fields.latencyNanoseconds.map { Double($0) / 1e9 } ?? usual, program: program,
      silence: silence.map(Interval.init(nanoseconds:)))
  }
}

extension Message {
  var sessionID: UInt64? { try? unsigned(.session) }
  var order: SessionOrder? { self[.order].flatMap(SessionOrder.init(rawValue:)) }
}

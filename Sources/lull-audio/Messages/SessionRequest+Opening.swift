import LullAudio
import LullWire

extension SessionRequest {
  /// The session that `open` describes; nil when its frames are impossible.
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

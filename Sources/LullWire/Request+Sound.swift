extension Request {
  /// What a session of sound is for.
  public enum Category: String, CaseIterable, Sendable {
    case ambient
    case soloAmbient
    case playback
    case record
    case playAndRecord
  }

  /// Where the frames go.
  public enum Direction: String, CaseIterable, Sendable {
    case play
    case capture
  }

  /// How a sample stands in the ring, little-endian.
  public enum SampleFormat: String, CaseIterable, Sendable {
    case u8
    case s16
    case s24
    case s32
    case f32
  }

  /// The fields of `session`.
  public struct Session: Equatable, Sendable {
    /// What it is for.
    public var category: Category
    /// Where the frames go.
    public var direction: Direction
    /// Frames per second.
    public var rate: Int
    /// Samples in a frame.
    public var channels: Int
    /// How a sample stands in the ring.
    public var format: SampleFormat
    /// The frames of the ring.
    public var frames: Int
    /// It is heard together with others.
    public var mix: Bool
    /// It makes others quieter.
    public var duck: Bool
    /// Speech with long pauses.
    public var spoken: Bool
    /// Woken to refill when fewer frames than this are left.
    public var lowWater: Int?
    /// How much is handed to the device ahead of what is heard.
    public var latencyNanoseconds: Int64?
    /// The device that it plays to or captures from; nil: the usual one.
    public var device: String?

    /// Makes the fields.
    public init(
      category: Category, direction: Direction, rate: Int, channels: Int, format: SampleFormat, frames: Int,
      mix: Bool = false, duck: Bool = false, spoken: Bool = false, lowWater: Int? = nil,
      latencyNanoseconds: Int64? = nil, device: String? = nil
    ) {
      (self.category, self.direction) = (category, direction)
      (self.rate, self.channels, self.format, self.frames) = (rate, channels, format, frames)
      (self.mix, self.duck, self.spoken) = (mix, duck, spoken)
      (self.lowWater, self.latencyNanoseconds, self.device) = (lowWater, latencyNanoseconds, device)
    }
  }
}

extension Request.Session {
  static let fields: [Key] = [
    .category, .direction, .rate, .channels, .format, .frames, .mix, .duck, .spoken, .lowWater, .latency,
    .output, .input,
  ]

  /// Reads the fields; those of other messages are passed over.
  public init(_ message: Message) throws(WireError) {
    let rate = try message.integer(.rate, in: Limits.sampleRates)
    let direction = try message.word(.direction, as: Request.Direction.self)
    self.init(
      category: try message.word(.category, as: Request.Category.self),
      direction: direction,
      rate: Int(rate),
      channels: Int(try message.integer(.channels, in: Limits.channels)),
      format: try message.word(.format, as: Request.SampleFormat.self),
      frames: Int(try message.integer(.frames, in: 64...rate * Limits.ringSeconds)),
      mix: try message.flag(.mix), duck: try message.flag(.duck), spoken: try message.flag(.spoken),
      lowWater: try message.integer(ifPresent: .lowWater, in: 1...rate * Limits.ringSeconds).map { Int($0) },
      latencyNanoseconds: try message.nanoseconds(ifPresent: .latency, in: Limits.latencies),
      device: try message.device(direction))
  }

  /// The fields added to a message.
  public func adding(to message: Message) -> Message {
    message.adding(.category, word: category).adding(.direction, word: direction).adding(.rate, rate)
      .adding(.channels, channels).adding(.format, word: format).adding(.frames, frames)
      .adding(flag: .mix, if: mix).adding(flag: .duck, if: duck).adding(flag: .spoken, if: spoken)
      .adding(.lowWater, lowWater).adding(.latency, nanoseconds: latencyNanoseconds)
      .adding(direction == .play ? .output : .input, device)
  }
}

/// The first words of the messages between `lulld` and `lull-audio`.
public enum SoundVerb: String, CaseIterable, Sendable {
  // From lulld.
  case ring, bell, open, order, close
  // From lull-audio.
  case began, ended, sounding, quiet, low, filled, drained, cut, route
}

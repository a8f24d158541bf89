extension Request {
  package struct Session: Equatable, Sendable {
    package var category: AudioCategory
    package var direction: AudioDirection
    /// Frames per second.
    package var rate: Int
    package var channels: Int
    package var format: SampleFormat
    /// The frames of the ring.
    package var frames: Int
    package var mix: Bool
    /// The session makes others quieter.
    package var duck: Bool
    /// For speech with long pauses.
    package var spoken: Bool
    /// Below so many remaining frames the program is woken to refill.
    package var lowWater: Int?
    /// The time by which frames are handed to the device ahead of being played.
    package var latency: Interval?
    /// Nil: the usual one.
    package var device: String?

    package init(
      category: AudioCategory, direction: AudioDirection, rate: Int, channels: Int, format: SampleFormat,
      frames: Int,
      mix: Bool = false, duck: Bool = false, spoken: Bool = false, lowWater: Int? = nil,
      latency: Interval? = nil, device: String? = nil
    ) {
      (self.category, self.direction) = (category, direction)
      (self.rate, self.channels, self.format, self.frames) = (rate, channels, format, frames)
      (self.mix, self.duck, self.spoken) = (mix, duck, spoken)
      (self.lowWater, self.latency, self.device) = (lowWater, latency, device)
    }
  }
}

extension Request.Session: FieldGroup {
  package static var blank: Self {
    .init(category: .ambient, direction: .play, rate: 8000, channels: 1, format: .u8, frames: 64)
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    let category = try fields.needed(.category, .word, value: category)
    let direction = try fields.needed(.direction, .word, value: direction)
    let rate = try fields.needed(.rate, .number(in: Bounds.sampleRates), value: rate)
    let longest = rate * Int(Bounds.ringSeconds)
    return .init(
      category: category, direction: direction, rate: rate,
      channels: try fields.needed(.channels, .number(in: Bounds.channels), value: channels),
      format: try fields.needed(.format, .word, value: format),
      frames: try fields.needed(.frames, .number(in: 64...longest), value: frames),
      mix: try fields.flag(.mix, mix), duck: try fields.flag(.duck, duck),
      spoken: try fields.flag(.spoken, spoken),
      lowWater: try fields.optional(.lowWater, .number(in: 1...longest), value: lowWater),
      latency: try fields.optional(.latency, .seconds(in: Bounds.latencies), value: latency),
      device: try device(direction, &fields))
  }

  private func device(
    _ direction: AudioDirection, _ fields: inout some FieldVisitor
  ) throws(WireError) -> String? {
    let (key, other): (Key, Key) = direction == .play ? (.output, .input) : (.input, .output)
    let name = try fields.optional(key, .deviceName, value: device)
    if let value = try fields.optional(other, .deviceName, value: nil) {
      throw .badValue(key: other.rawValue, value: value, expected: "\(key) for this direction")
    }
    return name.flatMap(DeviceName.wanted)
  }
}

extension Request {
  /// The fields of `sound-route`.
  package struct AudioRoute: Equatable, Sendable {
    package var name: String
    /// Nil: the usual one.
    package var device: String?
    /// Nil: all sessions of one direction, and those to come.
    package var session: SessionID?
    /// Where `session` is nil.
    package var direction: AudioDirection

    package init(name: String, device: String?, session: SessionID? = nil, direction: AudioDirection = .play)
    {
      (self.name, self.device, self.session, self.direction) = (name, device, session, direction)
    }
  }
}

extension Request.AudioRoute: FieldGroup {
  package static var blank: Self { .init(name: "", device: nil) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    let name = try fields.needed(.name, .programName, value: name)
    let device = try fields.needed(.device, .deviceName, value: device ?? DeviceName.usual)
    let session = try fields.optional(.session, .identifier, value: session)
    // The direction of a single session is known, and `play` need not be said.
    let isSaid = session == nil && direction != .play
    let said = try fields.optional(.direction, .word, value: isSaid ? direction : nil)
    if session != nil, let said {
      throw .badValue(
        key: Key.direction.rawValue, value: said.rawValue,
        expected: "\(Key.session) or \(Key.direction), not both")
    }
    return .init(name: name, device: DeviceName.wanted(device), session: session, direction: said ?? .play)
  }
}

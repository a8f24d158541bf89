internal import LullSystem

/// Giving frames to the device.
extension PlaySession {
  /// The device is another one. False when the rate cannot be converted.
  func attach(_ sink: SinkFormat) -> Bool {
    meter.attach(channels: sink.channels)
    return source.attach(sink)
  }

  /// How many frames it can give to a place of the device, at most so many.
  func prepare(_ frames: Int, at place: UInt64, finishing: Bool) -> Int {
    let limit = order == .hold ? Int(clamping: envelope.end - min(place, envelope.end)) : frames
    return source.prepare(
      min(frames, limit), written: written, finishing: finishing || command == .drain, meter: &meter)
  }

  /// Adds frames that were prepared to the mix.
  func render(_ frames: Int, at place: UInt64, into mix: UnsafeMutablePointer<Float>) {
    let channels = source.channels
    let samples = unsafe source.take(frames, at: place, &timeline, meter: &meter)
    unsafe envelope.apply(to: samples, frames: frames, channels: channels, at: place)
    for index in 0..<frames * channels { unsafe mix[index] += samples[index] }
  }

  /// What lies behind a place was not taken by the device after all.
  func truncate(at place: UInt64) {
    guard let end = timeline.deviceEnd, end > place else { return }
    timeline.truncate(at: place)
    source.seek(timeline.ringEnd ?? moved)
  }

  /// Looks through what is queued and not rendered, with a copy of the meter, until that finds the session audible.
  func lookAhead(_ meter: inout SessionMeter) {
    // The rule looks back on 10 s, so what comes later cannot matter.
    let end = min(written, meter.metered + UInt64(10 * request.format.rate))
    var copy = meter
    var place = max(meter.metered, source.position)
    while place < end, !copy.isConvinced {
      let count = Int(min(UInt64(FrameSource.chunk), end - place))
      let samples = unsafe source.convert(count, at: place)
      unsafe copy.measure(samples, frames: count, channels: source.channels, at: place)
      place += UInt64(count)
    }
    meter.believe(copy)
  }

  /// Another order, at the frame that is heard. True when what is on its way must come back.
  func setOrder(_ new: SessionOrder, heard: UInt64, rate: Int) -> Bool {
    guard new != order else { return false }
    let isHeard = state == .running && timeline.deviceEnd.map { $0 > heard } ?? false
    let isLouder = Self.target(new) > Self.target(order)
    order = new
    if isHeard || new != .hold && state == .held {
      envelope.go(to: Self.target(new), from: heard, in: isLouder ? rate / 4 : rate / 20)
    } else {
      envelope = Ramp(Self.target(new))
    }
    if isWanted, new == .hold, !isHeard { setState(.held) }
    if isWanted, new != .hold, state == .held { setState(.running) }
    return isHeard
  }
}

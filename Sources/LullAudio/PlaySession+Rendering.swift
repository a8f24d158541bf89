internal import LullSystem

/// Giving frames to the device.
extension PlaySession {
  /// The device is another one. False when the rate cannot be converted.
  func attach(_ sink: SinkFormat) -> Bool {
    // What was brought to another rate already is taken from the ring once more.
    source.seek(timeline.ringEnd ?? moved)
    return source.attach(sink)
  }

  /// How many frames it can give to a place of the device, at most so many.
  func prepare(_ frames: Int, at place: UInt64, finishing: Bool) -> Int {
    let limit = order == .hold ? Int(clamping: envelope.end - min(place, envelope.end)) : frames
    return source.prepare(min(frames, limit), written: written, finishing: finishing || command == .drain)
  }

  /// Adds frames that were prepared to the mix.
  func render(_ frames: Int, at place: UInt64, into mix: UnsafeMutablePointer<Float>) {
    let channels = source.channels
    let samples = unsafe source.take(frames, at: place, &timeline)
    unsafe ear?.add(samples, frames: frames, at: place, isDeep: isDeep)
    unsafe envelope.apply(to: samples, frames: frames, channels: channels, at: place)
    for index in 0..<frames * channels { unsafe mix[index] += samples[index] }
  }

  /// What lies behind a place of the device will not be heard, and is rendered anew.
  func takeBack(to place: UInt64) {
    timeline.truncate(at: place)
    // The device has played less than the clock said; what the program was told stays.
    if let end = timeline.ringEnd, end < moved { moved = min(moved, max(end, ring.moved)) }
    source.goBack(to: max(moved, timeline.ringEnd ?? moved))
  }

  /// The device goes on without it: what did not come back will be heard there.
  func leave() {
    moved = max(moved, timeline.ringEnd ?? moved)
    timeline.clear()
    source.seek(moved)
    ear?.sessions -= 1
    ear = nil
  }

  /// Brings the gain to what the program asked for, from the frame that is rendered next.
  func applyGain(heard: UInt64) {
    guard gain != source.gain.target else { return }
    let isHeard = isHeard(at: heard)
    // One change at a time is on its way: the gain at a place stays what it was rendered with.
    let isNext = source.position <= moved + UInt64(request.format.rate / 50)
    guard !isHeard || isNext || source.gain.hasBegun(at: moved) else { return }
    source.setGain(gain, atOnce: !isHeard)
  }

  /// It is in the midst of its sound at a place of the device.
  func isHeard(at place: UInt64) -> Bool {
    state == .running && timeline.deviceEnd.map { $0 >= place } ?? false
  }

  /// Another order, from a place of the device on; `isHeard`: it is in the midst of its sound there.
  func setOrder(_ new: SessionOrder, from place: UInt64, isHeard: Bool, rate: Int) {
    let isLouder = Self.target(new) > Self.target(order)
    order = new
    if isHeard || new != .hold && state == .held {
      envelope.go(to: Self.target(new), from: place, in: isLouder ? rate / 4 : rate / 20)
    } else {
      envelope = Ramp(Self.target(new))
    }
    if isWanted, new == .hold, !isHeard { setState(.held) }
    if isWanted, new != .hold, state == .held { setState(.running) }
  }
}

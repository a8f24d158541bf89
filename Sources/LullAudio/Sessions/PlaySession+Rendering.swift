internal import LullRing

extension PlaySession {
  /// Returns false when the rate cannot be converted.
  func attach(_ sink: SinkFormat) -> Bool {
    // Frames that were already resampled are taken from the ring once more.
    source.seek(timeline.ringEnd ?? moved)
    return source.attach(sink)
  }

  /// The number of frames that the session can give to a place of the device, at most `frames`.
  func prepare(_ frames: Int, at place: UInt64, finishing: Bool) -> Int {
    let limit = order == .hold ? Int(clamping: envelope.end - min(place, envelope.end)) : frames
    return source.prepare(min(frames, limit), written: written, finishing: finishing || transport == .drain)
  }

  func render(_ frames: Int, at place: UInt64, into mix: UnsafeMutablePointer<Float>) {
    let channels = source.channels
    let samples = unsafe source.take(frames, at: place, &timeline)
    unsafe ear?.add(samples, frames: frames, at: place, isDeep: isDeep)
    unsafe envelope.apply(to: samples, frames: frames, channels: channels, at: place)
    for index in 0..<frames * channels { unsafe mix[index] += samples[index] }
  }

  /// Takes back the frames behind a place of the device: they will not play, and are rendered anew.
  func takeBack(to place: UInt64) {
    timeline.truncate(at: place)
    // The device has played less than the clock said. The position that the program was told stays.
    if let end = timeline.ringEnd, end < moved { moved = min(moved, max(end, ring.moved)) }
    source.goBack(to: max(moved, timeline.ringEnd ?? moved))
  }

  /// Leaves the device: frames that did not come back will play there.
  func leave() {
    moved = max(moved, timeline.ringEnd ?? moved)
    timeline.clear()
    source.seek(moved)
    ear?.sessions -= 1
    ear = nil
  }

  /// Brings the gain to the program's value, from the frame that is rendered next.
  func applyGain(played: UInt64) {
    guard gain != source.gain.target else { return }
    let isHeard = isHeard(at: played)
    // One change at a time is on its way: the gain at a place stays what it was rendered with.
    let isNext = source.position <= moved + UInt64(request.format.rate / 50)
    guard !isHeard || isNext || source.gain.hasBegun(at: moved) else { return }
    source.setGain(gain, atOnce: !isHeard)
  }

  /// True when the session's sound goes on at a place of the device.
  func isHeard(at place: UInt64) -> Bool {
    state == .running && timeline.deviceEnd.map { $0 >= place } ?? false
  }

  /// `isHeard`: the session's sound goes on at that place.
  func setOrder(_ new: AudioOrder, from place: UInt64, isHeard: Bool, rate: Int) {
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

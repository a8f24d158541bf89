import Lull
import LullRing
import LullSystem

extension QueuePlayer {
  /// The samples that are decoded in one piece at most, beside a second of them: so many that calls cost
  /// little, so few that the sound begins at once.
  private static let blockSamples = 1 << 18

  func open(_ source: Source, _ own: FrameFormat) {
    var format = queue.sessionFormat(for: own)
    // A product has more digits than its factors.
    if replayGain.mode != .off { format.sample = .f32 }
    let seconds = Double(source.decoder.frame) / Double(format.rate)
    let output: any Output
    do throws(LullError) {
      output = try makeOutput(format) { [weak self] event in self?.handle(event) }
    } catch {
      return give(up: "\(error)", at: Place(item: source.item, seconds: seconds))
    }
    self.output = output
    block = Array(
      repeating: 0, count: min(format.rate, Self.blockSamples / format.channels) * format.channels)
    output.gain = gain
    begin(source, in: output)
  }

  func begin(_ source: Source, in output: any Output) {
    resting = nil
    feed = .decoding(source)
    timeline.append(source.item, frame: source.decoder.frame, at: output.written)
    heardStart = output.written
    output.play()
    pump()
  }

  func closeOutput() {
    output?.stop()
    output?.close()
    output = nil
    feed = .nothing
    timeline = Timeline()
    floor = 0
    heardStart = nil
    interruptions = []
    block = []
  }

  /// Pauses and tells the reason: there is no output.
  func give(up reason: String, at place: Place?) {
    park(at: place)
    setIntent(.paused)
    tell(reason)
  }

  func drain(_ output: any Output, next: ItemID?) {
    feed = .draining(next: next)
    output.drain()
  }

  func lowWater(of output: any Output) -> Int {
    Int(lowWaterSeconds * output.format.bufferShare * Double(output.format.rate))
  }

  func secondsQueued(in output: any Output) -> Double {
    let heard = heardPosition
    return output.written > heard ? Double(output.written - heard) / Double(output.format.rate) : 0
  }

  /// Room for frames. Beyond the next item's start there is room only up to the low water: so the program is
  /// woken when that item begins to be heard, and can announce it.
  func room(in output: any Output) -> Int {
    guard let start = timeline.nextStart(after: heardPosition) else { return output.writableFrames }
    let limit = start + UInt64(lowWater(of: output))
    return min(output.writableFrames, limit > output.written ? Int(limit - output.written) : 0)
  }

  func copy(from source: Source, to output: any Output, atMost room: Int) -> DecodedFrames {
    let (channels, gain) = (output.format.channels, source.gain)
    let size = min(block.count, room * channels)
    return unsafe block.withUnsafeMutableBufferPointer { block in
      let piece = unsafe UnsafeMutableBufferPointer(rebasing: block[..<size])
      let outcome = unsafe source.decoder.read(into: piece)
      guard case .frames(let count) = outcome else { return outcome }
      source.hasFrames = true
      barren = 0
      let samples = unsafe UnsafeMutableBufferPointer(rebasing: piece[..<(count * channels)])
      if let gain { for index in samples.indices { unsafe samples[index] *= gain } }
      let bytes = unsafe output.format.sample == .s16 ? samples.shortened() : UnsafeRawBufferPointer(samples)
      // There was room for all of them, unless the output was cut off meanwhile.
      return unsafe output.write(bytes) == count ? outcome : .end
    }
  }

  func itemEnded(_ source: Source) {
    if let reason = source.decoder.shortfall { fail(source.item, reason) }
    if !source.hasFrames { barren += 1 }
    let isHopeless = barren > queue.items.count
    proceed(to: isHopeless ? nil : queue.successor(of: source.item))
  }

  func noteHeard() {
    guard let segment = timeline.segment(at: heardPosition), segment.start != heardStart else { return }
    heardStart = segment.start
    timeline.forget(before: segment.start)
    let item = queue.current
    queue.select(segment.item)
    announce(after: item)
  }
}

extension QueuePlayer {
  func handle(_ event: AudioSession.Event) {
    guard output != nil else { return }
    defer { onEventHandled?() }
    switch event {
    case .wantsFrames, .stateChanged: pump()
    case .interruptionBegan: interrupt(.otherSound)
    case .interruptionEnded(let shouldResume): resume(shouldResume)
    case .routeChanged(let device?): route(to: device)
    case .routeChanged(nil): loseDevice()
    case .failed(let error): give(up: "\(error)", at: place)
    }
  }

  private func interrupt(_ cause: Interruptions) {
    let before = status
    interruptions.insert(cause)
    if status != before { observer?(.status) }
  }

  private func endInterruption(_ cause: Interruptions) {
    let before = status
    interruptions.remove(cause)
    if status != before { observer?(.status) }
  }

  /// With `shouldResume` the sound goes on by itself; without, the user decides.
  private func resume(_ shouldResume: Bool) {
    guard interruptions.contains(.otherSound) else { return }
    if intent == .playing, !shouldResume { pause() }
    endInterruption(.otherSound)
  }

  /// The frames wait in the output, which goes on where it stopped when there is a device again.
  private func loseDevice() {
    interrupt(.noDevice)
    tell("no sound device can be opened; the music goes on when one can")
  }

  private func route(to device: String) {
    endInterruption(.noDevice)
    tell("the sound goes to \(device)")
  }
}

final class Source {
  let item: ItemID
  let decoder: any Decoding
  /// The factor of the item's samples; nil when each is played as it is.
  var gain: Float?
  /// The second at which the item begins, once its description is known.
  let seconds: Double
  var hasFrames = false

  init(_ item: ItemID, _ decoder: any Decoding, seconds: Double) {
    (self.item, self.decoder, self.seconds) = (item, decoder, seconds)
  }
}

extension FrameFormat {
  /// True when frames of the other format fit without loss and without a gap.
  func takes(_ other: FrameFormat) -> Bool {
    other.rate == rate && other.channels == channels && (sample == .f32 || other.sample == sample)
  }
}

extension Queue {
  /// The format of an audio session that starts with `format`. Its samples hold those of all items of the
  /// same rate and channels, so that no gap is left between them.
  func sessionFormat(for format: FrameFormat) -> FrameFormat {
    var widest = format
    let others = items.compactMap(\.description?.format)
      .filter { $0.sample == .f32 && $0.rate == format.rate && $0.channels == format.channels }
    if !others.isEmpty { widest.sample = .f32 }
    return widest
  }
}

extension UnsafeMutableBufferPointer<Float> {
  /// The samples in 16 bits, in the same place: those of 16 bits are what they were.
  func shortened() -> UnsafeRawBufferPointer {
    let bytes = UnsafeMutableRawBufferPointer(self)
    for index in indices {
      let sample = Swift.max(-32_768, Swift.min(32_767, unsafe (self[index] * 32_768).rounded()))
      unsafe bytes.storeBytes(of: Int16(sample), toByteOffset: 2 * index, as: Int16.self)
    }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[..<(2 * count)])
  }
}

import Lull
import LullRing
import LullSystem

extension QueuePlayer {
  /// The samples that are decoded in one piece at most, beside a second of them: so many that calls cost
  /// little, so few that the sound begins at once.
  private static let blockSamples = 1 << 18

  func open(_ source: Source, _ own: FrameFormat) {
    var format = own
    // The samples of all items of the same rate and channels fit, so that no gap is left between them. A
    // product has more digits than its factors.
    let needsFloats = queue.items.compactMap(\.description?.format).contains {
      $0.sample == .f32 && $0.rate == own.rate && $0.channels == own.channels
    }
    if needsFloats || replayGain.mode != .off { format.sample = .f32 }
    let seconds = Double(source.decoder.frame) / Double(format.rate)
    let output: any SoundOutput
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

  func begin(_ source: Source, in output: any SoundOutput) {
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
    timeline = ItemTimeline()
    floor = 0
    heardStart = nil
    (isInterrupted, hasNoDevice) = (false, false)
    block = []
  }

  /// Pauses and tells the reason: there is no output.
  func give(up reason: String, at place: Place?) {
    park(at: place)
    setIntent(.paused)
    tell(reason)
  }

  func drain(_ output: any SoundOutput, next: ItemID?) {
    feed = .draining(next: next)
    output.drain()
  }

  func lowWater(of output: any SoundOutput) -> Int {
    Int(lowWaterSeconds * output.format.bufferShare * Double(output.format.rate))
  }

  func secondsQueued(in output: any SoundOutput) -> Double {
    let heard = heardPosition
    return output.written > heard ? Double(output.written - heard) / Double(output.format.rate) : 0
  }

  /// Room for frames. Beyond the next item's start there is room only up to the low water: so the program is
  /// woken when that item begins to be heard, and can announce it.
  func room(in output: any SoundOutput) -> Int {
    guard let start = timeline.nextStart(after: heardPosition) else { return output.writableFrames }
    let limit = start + UInt64(lowWater(of: output))
    return min(output.writableFrames, limit > output.written ? Int(limit - output.written) : 0)
  }

  func copy(from source: Source, to output: any SoundOutput, atMost room: Int) -> DecodedFrames {
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

  func handle(_ event: AudioSession.Event) {
    guard output != nil else { return }
    defer { onEventHandled?() }
    switch event {
    case .wantsFrames, .stateChanged: pump()
    case .interruptionBegan: noteStatus { isInterrupted = true }
    case .interruptionEnded(let shouldResume):
      guard isInterrupted else { return }
      // Without `shouldResume` the user decides when the sound goes on.
      if !shouldResume { pause() }
      noteStatus { isInterrupted = false }
    case .routeChanged(let device):
      noteStatus { hasNoDevice = device == nil }
      // The frames wait in the output, which goes on where it stopped when there is a device again.
      tell(
        device.map { "the sound goes to \($0)" }
          ?? "no sound device can be opened; the music goes on when one can")
    case .failed(let error): give(up: "\(error)", at: place)
    }
  }

  private func noteStatus(_ change: () -> Void) {
    let before = status
    change()
    if status != before { observer?(.status) }
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

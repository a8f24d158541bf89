import Lull
import LullRing

// The current output.
extension QueuePlayer {
  /// Seconds and bytes that are decoded in one piece at most: so many that calls cost little, so few that the
  /// sound begins at once.
  private static let (blockSeconds, blockBytes) = (1, 1 << 20)

  func open(_ source: Source, _ own: FrameFormat) {
    var format = queue.sessionFormat(for: own)
    // A product has more digits than its factors.
    if itemGain != nil { format.sample = .f32 }
    let seconds = Double(source.decoder.frame) / Double(format.rate)
    let output: any Output
    do throws(LullError) {
      output = try makeOutput(format) { [weak self] event in self?.handle(event) }
    } catch {
      return give(up: "\(error)", at: Place(item: source.item, seconds: seconds))
    }
    self.output = output
    let blockFrames = min(format.rate * Self.blockSeconds, Self.blockBytes / format.frameBytes)
    block = Array(repeating: 0, count: blockFrames * format.frameBytes)
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

  func drained(_ next: ItemID?) {
    if let next { go(to: next) } else { finish() }
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
    let format = output.format
    let frameBytes = format.frameBytes
    let size = min(block.count, room * frameBytes)
    return unsafe block.withUnsafeMutableBytes { block in
      let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: block[..<size])
      let outcome = unsafe source.read(format.sample, into: piece, channels: format.channels)
      guard case .frames(let count) = outcome else { return outcome }
      source.hasFrames = true
      barren = 0
      let taken = unsafe output.write(UnsafeRawBufferPointer(rebasing: piece[..<(count * frameBytes)]))
      // There was room for all of them, unless the output was cut off meanwhile.
      return taken == count ? outcome : .end
    }
  }

  func itemEnded(_ source: Source) {
    if let reason = source.decoder.shortfall { fail(source.item, reason) }
    if !source.hasFrames { barren += 1 }
    let isHopeless = barren > queue.items.count
    proceed(to: isHopeless ? nil : queue.successor(of: source.item))
  }

  /// Notes the item that is heard now.
  func noteHeard() {
    guard let segment = timeline.segment(at: heardPosition), segment.start != heardStart else { return }
    heardStart = segment.start
    timeline.forget(before: segment.start)
    let item = queue.current
    queue.select(segment.item)
    announce(after: item)
  }
}

import Lull
import LullSystem

// From files into the output.
extension QueuePlayer {
  /// Seconds that are decoded in one piece: large enough that calls cost nothing, small enough to be heard at once.
  private static let blockSeconds = 1

  /// Goes to a place: what is written and not heard is dropped. Without an output, and when nothing plays, it is only
  /// noted. A file that cannot be played is passed over.
  func go(to id: ItemID, seconds: Double = 0) {
    let item = queue.current
    guard intent == .playing else {
      park(at: Place(item: id, seconds: seconds))
      return announce(after: item)
    }
    barren = 0
    guard let source = firstPlayable(from: id, seconds: seconds) else { return finish() }
    queue.select(source.item)
    if let output, source.fits(output.format) {
      output.flush()
      floor = output.written
      begin(source, in: output)
    } else {
      closeOutput()
      open(source)
    }
    announce(after: item)
  }

  /// Writes as much as there is room for. To be called whenever the output wants frames, and after every wake.
  func pump() {
    guard let output else { return }
    noteHeard()
    let writtenBefore = output.written
    if output.state == .drained, case .draining(let next) = feed { return drained(next) }
    while case .decoding(let source) = feed {
      let room = room(in: output)
      guard room > 0 else { break }
      if !copy(from: source, to: output, atMost: room) { itemEnded(source) }
    }
    guard case .decoding(let source) = feed else { return }
    if output.written != writtenBefore { source.decoder.readAhead() }
    output.askForFrames(when: lowWater(of: output))
  }

  /// What follows an item that has been written to its end.
  func proceed(to next: ItemID?) {
    guard let output else { return }
    guard let next, let source = firstPlayable(from: next, seconds: 0) else {
      return drain(output, next: nil)
    }
    guard source.fits(output.format) else { return drain(output, next: source.item) }
    let wasDraining = if case .draining = feed { true } else { false }
    feed = .decoding(source)
    timeline.append(source.item, frame: source.decoder.frame, at: output.written)
    guard wasDraining else { return }
    if intent == .playing { output.play() }
    pump()
  }

  /// Gives the output up and remembers where to go on.
  func park(at place: Place?) {
    resting = place
    queue.select(place?.item)
    closeOutput()
  }

  /// The queue has ended.
  func finish() {
    let item = queue.current
    park(at: nil)
    setIntent(.stopped)
    announce(after: item)
  }

  private func announce(after item: ItemID?) {
    observer?(item == queue.current ? .position : .currentItem)
  }
}

// One output.
extension QueuePlayer {
  private func open(_ source: Source) {
    let format = queue.sessionFormat(for: source.decoder.description.format)
    let seconds = Double(source.decoder.frame) / Double(format.rate)
    let output: any Output
    do throws(LullError) {
      output = try makeOutput(format) { [weak self] event in self?.handle(event) }
    } catch {
      return give(up: "\(error)", at: Place(item: source.item, seconds: seconds))
    }
    self.output = output
    block = Array(repeating: 0, count: format.rate * Self.blockSeconds * format.frameBytes)
    output.gain = gain
    begin(source, in: output)
  }

  private func begin(_ source: Source, in output: any Output) {
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
    isInterrupted = false
    block = []
  }

  /// No sound can be had: the player pauses and says why.
  func give(up reason: String, at place: Place?) {
    park(at: place)
    setIntent(.paused)
    tell(reason)
  }

  private func drain(_ output: any Output, next: ItemID?) {
    feed = .draining(next: next)
    output.drain()
  }

  private func drained(_ next: ItemID?) {
    if let next { go(to: next) } else { finish() }
  }

  private func lowWater(of output: any Output) -> Int {
    Int(lowWaterSeconds * Double(output.format.rate))
  }

  /// Room for frames. Beyond the next item's start there are only as many as the low water: so the program is woken when
  /// that item begins to be heard, and can say so.
  private func room(in output: any Output) -> Int {
    guard let start = timeline.nextStart(after: heardPosition) else { return output.writableFrames }
    let limit = start + UInt64(lowWater(of: output))
    return min(output.writableFrames, limit > output.written ? Int(limit - output.written) : 0)
  }

  /// False at the item's end.
  private func copy(from source: Source, to output: any Output, atMost room: Int) -> Bool {
    let frameBytes = output.format.frameBytes
    let size = min(block.count, room * frameBytes)
    return unsafe block.withUnsafeMutableBytes { block in
      let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: block[..<size])
      let count = unsafe source.decoder.read(output.format.sample, into: piece)
      guard count > 0 else { return false }
      source.hasFrames = true
      barren = 0
      let taken = unsafe output.write(UnsafeRawBufferPointer(rebasing: piece[..<(count * frameBytes)]))
      // There was room for all of them, unless the output was cut off meanwhile.
      return taken == count
    }
  }

  private func itemEnded(_ source: Source) {
    if let reason = source.decoder.shortfall { fail(source.item, reason) }
    if !source.hasFrames { barren += 1 }
    let isHopeless = barren > queue.items.count
    proceed(to: isHopeless ? nil : queue.successor(of: source.item))
  }

  /// The item was heard up to here, or begins to be heard.
  func noteHeard() {
    guard let segment = timeline.segment(at: heardPosition), segment.start != heardStart else { return }
    heardStart = segment.start
    timeline.forget(before: segment.start)
    let item = queue.current
    queue.select(segment.item)
    announce(after: item)
  }
}

// Opening files.
extension QueuePlayer {
  /// The item, or the first after it that can be opened.
  private func firstPlayable(from id: ItemID, seconds: Double) -> Source? {
    var candidate: ItemID? = id
    for attempt in queue.items.indices {
      guard let next = candidate, let item = queue[next] else { return nil }
      do throws(DecodeError) {
        return try open(item, seconds: attempt == 0 ? seconds : 0)
      } catch {
        fail(next, "\(error)")
        candidate = queue.following(next)
      }
    }
    return nil
  }

  private func open(_ item: PlayerItem, seconds: Double) throws(DecodeError) -> Source {
    let decoder = try Decoder(path: item.path)
    if seconds > 0 { try decoder.seek(to: Int64(seconds * Double(decoder.description.format.rate))) }
    queue.update(item.id) { entry in
      entry.description = decoder.description
      entry.status = .readyToPlay
    }
    return Source(item.id, decoder)
  }

  private func fail(_ id: ItemID, _ reason: String) {
    guard let item = queue[id] else { return }
    queue.update(id) { $0.status = .failed(reason) }
    tell("\(item.fileName): \(reason)")
  }
}

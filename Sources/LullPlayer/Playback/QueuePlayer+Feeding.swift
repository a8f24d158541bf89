import Lull
import LullSystem

extension QueuePlayer {
  /// Goes to a place; frames that were not heard are dropped. While nothing is to play, the place is only
  /// noted. A file that cannot be played is passed over.
  func go(to id: ItemID, seconds: Double = 0) {
    let item = queue.current
    guard intent == .playing else {
      park(at: Place(item: id, seconds: seconds))
      return announce(after: item)
    }
    barren = 0
    move(to: id, seconds: seconds)
    announce(after: item)
  }

  private func move(to id: ItemID, seconds: Double) {
    guard let source = firstPlayable(from: id, seconds: seconds) else { return finish() }
    queue.select(source.item)
    start(source)
  }

  /// Passes over an item that brings no sound.
  func skip(_ id: ItemID) {
    let item = queue.current
    barren += 1
    guard barren <= queue.items.count, let next = queue.following(id) else { return finish() }
    move(to: next, seconds: 0)
    announce(after: item)
  }

  func start(_ source: Source) {
    guard let format = source.decoder.description?.format else {
      closeOutput()
      (resting, feed) = (Place(item: source.item, seconds: source.seconds), .opening(source))
      return
    }
    if let output, output.format.takes(format) {
      output.flush()
      floor = output.written
      begin(source, in: output)
    } else {
      closeOutput()
      open(source, format)
    }
  }

  /// Writes as many frames as there is room for. To be called whenever the output wants frames, and after
  /// every wake.
  public func pump() {
    guard let output else { return }
    noteHeard()
    let writtenBefore = output.written
    if output.state == .drained, case .draining(let next) = feed {
      guard let next else { return finish() }
      return go(to: next)
    }
    while case .decoding(let source) = feed {
      let room = room(in: output)
      guard room > 0 else { break }
      switch copy(from: source, to: output, atMost: room) {
      case .frames: continue
      case .end: itemEnded(source)
      // The decoder tells when there is more: asking for frames would keep the program awake.
      case .pending:
        source.decoder.readAhead(queued: secondsQueued(in: output))
        return describe(source)
      }
    }
    guard case .decoding(let source) = feed else { return }
    if output.written != writtenBefore { source.decoder.readAhead(queued: secondsQueued(in: output)) }
    output.askForFrames(when: lowWater(of: output))
    describe(source)
  }

  /// Goes on to the item after one that has been written to its end.
  func proceed(to next: ItemID?) {
    guard let output else { return }
    guard let next, let source = firstPlayable(from: next, seconds: 0) else {
      return drain(output, next: nil)
    }
    guard let format = source.decoder.description?.format, output.format.takes(format) else {
      return drain(output, next: source.item)
    }
    let wasDraining = if case .draining = feed { true } else { false }
    feed = .decoding(source)
    timeline.append(source.item, frame: source.decoder.frame, at: output.written)
    guard wasDraining else { return }
    if intent == .playing { output.play() }
    pump()
  }

  /// Ends the sound and keeps the place.
  public func end() { park(at: place) }

  func park(at place: Place?) {
    resting = place
    queue.select(place?.item)
    closeOutput()
  }

  func finish() {
    let item = queue.current
    park(at: nil)
    setIntent(.stopped)
    announce(after: item)
  }

  func announce(after item: ItemID?) {
    observer?(item == queue.current ? .position : .currentItem)
  }

  /// The source of the item, or of the first item after it that can be opened.
  func firstPlayable(from id: ItemID, seconds: Double) -> Source? {
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
    let decoder = try openDecoder(item)
    if case .failed(let error) = decoder.state { throw error }
    let source = Source(item.id, decoder, seconds: seconds)
    try prepare(source)
    decoder.onChange = { [weak self, weak source] in if let self, let source { changed(source) } }
    return source
  }

  /// Goes to the second at which the source is to begin, once its description is known.
  private func prepare(_ source: Source) throws(DecodeError) {
    guard let description = source.decoder.description else { return }
    if source.seconds > 0 {
      try source.decoder.seek(to: Int64(saturating: source.seconds * Double(description.format.rate)))
    }
    queue.update(source.item) { entry in
      entry.description = description
      entry.status = .readyToPlay
    }
    source.gain = queue[source.item].flatMap(factor)
  }

  private func changed(_ source: Source) {
    defer { onEventHandled?() }
    switch feed {
    case .opening(let waiting) where waiting === source: opened(source)
    case .decoding(let playing) where playing === source: pump()
    default: return
    }
  }

  func describe(_ source: Source) {
    guard let description = source.decoder.description, description != queue[source.item]?.description
    else { return }
    queue.update(source.item) { $0.description = description }
    observer?(.currentItem)
  }

  private func opened(_ source: Source) {
    do throws(DecodeError) {
      switch source.decoder.state {
      case .opening: return
      case .failed(let error): throw error
      case .ready: try prepare(source)
      }
      start(source)
      observer?(.currentItem)
    } catch {
      fail(source.item, "\(error)")
      skip(source.item)
    }
  }

  func fail(_ id: ItemID, _ reason: String) {
    guard let item = queue[id] else { return }
    queue.update(id) { $0.status = .failed(reason) }
    tell("\(item.fileName): \(reason)")
  }
}

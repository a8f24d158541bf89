extension QueuePlayer {
  /// Plays from the place where it stopped, or from the item.
  public func play(_ id: ItemID? = nil) throws(Refusal) {
    guard !queue.isEmpty else { throw Refusal(reason: "the queue is empty") }
    tell(nil)
    setIntent(.playing)
    if let id {
      go(to: id)
    } else if let output {
      goOn(output)
    } else if !isOpening {
      let place =
        resting ?? Place(item: queue.current ?? queue.following(nil) ?? queue.items[0].id, seconds: 0)
      go(to: place.item, seconds: place.seconds)
    }
    if status != .playing && status != .interrupted {
      throw Refusal(reason: note ?? "nothing in the queue can be played")
    }
  }

  /// Goes on after a pause. `play` replaces a `drain`, so that the end of the frames must be asked for again.
  private func goOn(_ output: any SoundOutput) {
    output.play()
    if case .draining = feed { output.drain() }
  }

  /// Pauses at the frame that is heard. A radio goes on meanwhile: its connection is closed, and `play`
  /// begins it anew.
  public func pause() {
    guard intent == .playing else { return }
    if let output, !isLive { output.pause() } else { park(at: place) }
    setIntent(.paused)
  }

  private var isLive: Bool {
    if case .decoding(let source) = feed { source.decoder.isLive } else { false }
  }

  /// Pauses, or plays again.
  public func togglePlayPause() throws(Refusal) {
    if intent == .playing { pause() } else { try play() }
  }

  /// Stops; the next `play` begins with the current item's start.
  public func stop() {
    park(at: place.map { Place(item: $0.item, seconds: 0) })
    setIntent(.stopped)
    observer?(.position)
  }

  /// Goes to the next item (`advanceToNextItem`); after the last it stops.
  public func next() {
    tell(nil)
    guard let next = queue.following(currentItem?.id) else { return finish() }
    go(to: next)
  }

  /// Goes to the item before; the first item begins anew.
  public func previous() {
    tell(nil)
    guard let target = queue.preceding(currentItem?.id) ?? currentItem?.id else { return }
    go(to: target)
  }

  /// Goes to a second of the current item; a place beyond its end is the next item.
  public func seek(to seconds: Double) throws(Refusal) {
    guard let item = currentItem else { throw Refusal(reason: "nothing is played") }
    if let duration = item.duration, seconds >= duration { return next() }
    go(to: item.id, seconds: max(0, seconds))
  }

  /// Moves by some seconds in the current item.
  public func seek(by seconds: Double) throws(Refusal) {
    try seek(to: max(0, position + seconds))
  }

  /// Sets the mode of repeating.
  public func setRepeatMode(_ mode: RepeatMode) {
    guard queue.repeatMode != mode else { return }
    queue.repeatMode = mode
    observer?(.repeatMode)
    if hasLookedAhead { feedAnew() }
  }

  /// Plays the items in a random order, or in their own.
  public func setShuffle(_ flag: Bool) {
    guard queue.isShuffled != flag else { return }
    // The item that is heard comes first, not an item that is written ahead.
    queue.select(currentItem?.id)
    queue.shuffle(flag)
    observer?(.shuffle)
    if hasLookedAhead { feedAnew() }
  }

  /// Puts a file, a part of one or a stream at the end of the queue. A file is opened for its description.
  @discardableResult
  public func add(_ entry: QueueEntry) throws(DecodeError) -> PlayerItem {
    let item = queue.append(entry, description: try describe(entry))
    observer?(.queue)
    if case .draining(next: nil) = feed { proceed(to: item.id) }
    return item
  }

  /// Takes an item out; if it was being heard, the next item follows.
  public func remove(_ id: ItemID) {
    guard queue.index(of: id) != nil else { return }
    let isHeard = currentItem?.id == id
    let isAhead = timeline.begins(id, after: heardPosition) || isFed(id)
    let successor = queue.items.count > 1 ? queue.following(id) : nil
    queue.remove(id)
    if isHeard {
      if let successor { go(to: successor) } else { finish() }
    } else if isAhead {
      feedAnew()
    }
    observer?(.queue)
  }

  /// Empties the queue and stops.
  public func clear() {
    finish()
    queue.clear()
    observer?(.queue)
  }

  /// The description of a file; nil for a stream, which has one only when it is played.
  func describe(_ entry: QueueEntry) throws(DecodeError) -> MediaDescription? {
    guard case .file = entry.location else { return nil }
    let item = PlayerItem(id: ItemID(number: 0), entry)
    return try openDecoder(item).description
  }

  /// True when frames beyond the item that is heard are written, or its successor is decided.
  private var hasLookedAhead: Bool {
    if case .draining = feed { return true }
    return timeline.nextStart(after: heardPosition) != nil
  }

  private var isOpening: Bool { if case .opening = feed { true } else { false } }

  private func isFed(_ id: ItemID) -> Bool {
    switch feed {
    case .nothing: false
    case .opening(let source), .decoding(let source): source.item == id
    case .draining(let next): next == id
    }
  }

  /// Drops the frames that were not heard, and decides anew what follows.
  private func feedAnew() {
    guard output != nil, let place else { return }
    go(to: place.item, seconds: place.seconds)
  }
}

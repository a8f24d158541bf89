// Requests of the user.
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
      let place = resting ?? Place(item: queue.current ?? queue.first ?? queue.items[0].id, seconds: 0)
      go(to: place.item, seconds: place.seconds)
    }
    if status != .playing && status != .interrupted {
      throw Refusal(reason: note ?? "nothing in the queue can be played")
    }
  }

  /// Goes on after a pause. `play` replaces a `drain`, so that the end of the frames must be asked for again.
  private func goOn(_ output: any Output) {
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
}

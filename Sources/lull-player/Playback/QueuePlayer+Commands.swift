// What the user asks for.
extension QueuePlayer {
  /// Plays from where it stopped, or from the item.
  func play(_ id: ItemID? = nil) throws(Refusal) {
    guard !queue.isEmpty else { throw Refusal(reason: "the queue is empty (lull-player add FILE...)") }
    tell(nil)
    setIntent(.playing)
    if let id {
      go(to: id)
    } else if let output {
      output.play()
    } else {
      let place = resting ?? Place(item: queue.current ?? queue.items[0].id, seconds: 0)
      go(to: place.item, seconds: place.seconds)
    }
    if status != .playing && status != .interrupted {
      throw Refusal(reason: note ?? "nothing in the queue can be played")
    }
  }

  /// Pauses at the frame that is heard.
  func pause() {
    guard intent == .playing else { return }
    output?.pause()
    setIntent(.paused)
  }

  func togglePlayPause() throws(Refusal) {
    if intent == .playing { pause() } else { try play() }
  }

  /// Stops; the next `play` begins with the current item's start.
  func stop() {
    park(at: place.map { Place(item: $0.item, seconds: 0) })
    setIntent(.stopped)
    observer?(.position)
  }

  /// Goes to the next item (`advanceToNextItem`); after the last it stops.
  func next() {
    tell(nil)
    guard let next = queue.following(currentItem?.id) else { return finish() }
    go(to: next)
  }

  /// Goes to the item before; before the first is the first.
  func previous() {
    tell(nil)
    guard let target = queue.preceding(currentItem?.id) ?? currentItem?.id else { return }
    go(to: target)
  }

  /// Goes to a second of the current item; beyond its end is the next item.
  func seek(to seconds: Double) throws(Refusal) {
    guard let item = currentItem else { throw Refusal(reason: "nothing is played") }
    if let duration = item.duration, seconds >= duration { return next() }
    go(to: item.id, seconds: max(0, seconds))
  }

  /// Moves by so many seconds in the current item.
  func seek(by seconds: Double) throws(Refusal) {
    try seek(to: max(0, position + seconds))
  }

  func setRepeatMode(_ mode: RepeatMode) {
    guard queue.repeatMode != mode else { return }
    queue.repeatMode = mode
    observer?(.repeatMode)
    if hasLookedAhead { feedAnew() }
  }
}

// Changes of the queue.
extension QueuePlayer {
  /// Opens a file to see what it is, and puts it at the end of the queue.
  @discardableResult
  func add(path: String) throws(DecodeError) -> PlayerItem {
    let description = try Decoder(path: path).description
    let item = queue.append(path: path, description: description)
    observer?(.queue)
    if case .draining(next: nil) = feed { proceed(to: item.id) }
    return item
  }

  func remove(_ id: ItemID) {
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
  func clear() {
    finish()
    queue.clear()
    observer?(.queue)
  }

  /// Whether frames or decisions beyond the item that is heard are made already.
  private var hasLookedAhead: Bool {
    if case .draining = feed { return true }
    return timeline.nextStart(after: heardPosition) != nil
  }

  private func isFed(_ id: ItemID) -> Bool {
    switch feed {
    case .nothing: false
    case .decoding(let source): source.item == id
    case .draining(let next): next == id
    }
  }

  /// Drops what is written and not heard, and decides anew what follows.
  private func feedAnew() {
    guard output != nil, let place else { return }
    go(to: place.item, seconds: place.seconds)
  }
}

// Changes of the queue.
extension QueuePlayer {
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
  var hasLookedAhead: Bool {
    if case .draining = feed { return true }
    return timeline.nextStart(after: heardPosition) != nil
  }

  var isOpening: Bool { if case .opening = feed { true } else { false } }

  private func isFed(_ id: ItemID) -> Bool {
    switch feed {
    case .nothing: false
    case .opening(let source), .decoding(let source): source.item == id
    case .draining(let next): next == id
    }
  }

  /// Drops the frames that were not heard, and decides anew what follows.
  func feedAnew() {
    guard output != nil, let place else { return }
    go(to: place.item, seconds: place.seconds)
  }
}

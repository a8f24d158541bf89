extension QueuePlayer {
  /// Evens out the loudness of the items from here on; the current item is begun anew at the frame that is
  /// heard.
  public func setReplayGain(_ settings: ReplayGainSettings) {
    guard settings != replayGain else { return }
    replayGain = settings
    itemGain = settings.mode == .off ? nil : { [weak self] item in self?.factor(of: item) ?? 1 }
    observer?(.replayGain)
    guard output != nil, let place else { return }
    // Another output is needed: products have more digits than their factors.
    park(at: place)
    if intent == .playing { go(to: place.item, seconds: place.seconds) }
  }

  private func factor(of item: PlayerItem) -> Float? {
    replayGain.factor(for: item.description?.gain ?? ReplayGain(), inAlbum: isInAlbum(item))
  }

  /// True when a neighbour in the queue is of the same album, and the queue is played in its own order.
  private func isInAlbum(_ item: PlayerItem) -> Bool {
    guard let album = item.tags.album, !queue.isShuffled, let index = queue.index(of: item.id) else {
      return false
    }
    return [index - 1, index + 1].contains { neighbour in
      queue.items.indices.contains(neighbour) && queue.items[neighbour].tags.album == album
    }
  }
}

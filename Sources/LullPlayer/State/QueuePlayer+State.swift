extension QueuePlayer {
  /// The state to remember now.
  public var savedState: SavedState {
    var state = SavedState()
    state.entries = queue.items.map(\.entry)
    state.index = currentItem.flatMap { queue.index(of: $0.id) }
    state.seconds = position
    state.volume = volume
    state.repeatMode = queue.repeatMode
    state.isShuffled = queue.isShuffled
    state.replayGain = replayGain
    return state
  }

  /// Restores a state, paused: a request that starts the player must not start music that nobody asked for.
  public func restore(_ state: SavedState) {
    for entry in state.entries {
      queue.append(entry, description: (try? describe(entry)) ?? nil)
    }
    queue.repeatMode = state.repeatMode
    setVolume(state.volume)
    setReplayGain(state.replayGain)
    defer { if state.isShuffled { queue.shuffle(true) } }
    guard let index = state.index, queue.items.indices.contains(index) else { return }
    park(at: Place(item: queue.items[index].id, seconds: state.seconds))
    setIntent(.paused)
  }
}

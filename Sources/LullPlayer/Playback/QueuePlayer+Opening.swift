import Lull
import LullSystem

// Opening files.
extension QueuePlayer {
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
    decoder.onChange = { [weak self, weak source] in
      if let self, let source { changed(source) }
    }
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
    source.gain = queue[source.item].flatMap { itemGain?($0) }
  }

  /// Handles a change of a stream.
  private func changed(_ source: Source) {
    defer { onEventHandled?() }
    switch feed {
    case .opening(let waiting) where waiting === source: opened(source)
    case .decoding(let playing) where playing === source: pump()
    default: return
    }
  }

  /// Notes a new description of a stream that plays.
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

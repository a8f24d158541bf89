internal import Lull

extension StreamDecoder {
  /// The description with what has become known since.
  func described(_ known: MediaDescription) -> MediaDescription {
    var description = known
    description.gain = pipe.comments.gain
    description.tags = tags
    description.stream = info
    return description
  }

  private var info: StreamInfo {
    let response = receiver.response
    var info = StreamInfo(isLive: isLive, station: response?["icy-name"], bitRate: response?.bitRate)
    info.activity = isBuffering ? .buffering : .playing
    if case .waiting(_, let reason) = receiver.state { info.activity = .reconnecting(reason) }
    return info
  }

  private var tags: Tags {
    let station = Tags(title: receiver.response?["icy-name"], genre: receiver.response?["icy-genre"])
    let piece = receiver.title.map(IcyReader.tags) ?? Tags()
    return station.overridden(by: pipe.comments.tags).overridden(by: piece)
  }
}

package import LullWire

extension QueueEntry {
  package func message(_ verb: String) -> Message {
    var message = Message(verb, Field("path", location.text))
    if let excerpt { message.append(excerpt) }
    return message
  }

  init?(_ message: Message) {
    guard let location = message["path"].flatMap(Location.init(text:)) else { return nil }
    self.init(location, Excerpt(message))
  }
}

extension Message {
  package mutating func append(_ excerpt: Excerpt) {
    append(Field("start", String(excerpt.start)))
    let tags = excerpt.tags
    let fields = [
      ("end", excerpt.end.map { String($0) }), ("title", tags.title), ("artist", tags.artist),
      ("album", tags.album), ("genre", tags.genre), ("trackNumber", tags.trackNumber),
    ]
    for case (let key, let value?) in fields { append(Field(key, value)) }
  }
}

extension Excerpt {
  /// Reads the fields of a part of a file; nil when there are none, or the part is impossible.
  package init?(_ message: Message) {
    guard let start = message["start"].flatMap({ Int($0) }) else { return nil }
    let end = message["end"].map { Int($0) ?? -1 }
    self.init(start: start, end: end, tags: Tags(message))
  }
}

extension Tags {
  package init(_ message: Message) {
    self.init(
      title: message["title"], artist: message["artist"], album: message["album"], genre: message["genre"],
      trackNumber: message["trackNumber"])
  }
}

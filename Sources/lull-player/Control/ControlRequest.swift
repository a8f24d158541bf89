import LullWire

/// What the command line asks of the player, one line each (grammar of docs/PROTOCOL.md).
enum ControlRequest: Equatable {
  /// Where to go in the current item.
  enum Seek: Equatable {
    case to(Double)
    case by(Double)
  }

  case add(path: String)
  /// `index` counts from 1, as `list` does.
  case play(index: Int?)
  case pause, toggle, next, previous, stop, clear, list, status, watch, quit
  case seek(Seek)
  case volume(Int)
  case remove(index: Int)
  case repeatMode(RepeatMode)

  init(_ message: Message) throws(WireError) {
    switch message.verb {
    case "add": self = .add(path: try message.required("path"))
    case "play": self = .play(index: try message.place("index"))
    case "pause": self = .pause
    case "toggle": self = .toggle
    case "next": self = .next
    case "previous": self = .previous
    case "stop": self = .stop
    case "clear": self = .clear
    case "list": self = .list
    case "status": self = .status
    case "watch": self = .watch
    case "quit": self = .quit
    case "seek": self = .seek(try Seek(message))
    case "volume": self = .volume(try message.percent("percent"))
    case "remove":
      guard let index = try message.place("index") else { throw .missingField("index") }
      self = .remove(index: index)
    case "repeat": self = .repeatMode(try message.mode("mode"))
    case let verb: throw .unknownVerb(verb, suggestion: nil)
    }
  }

  /// The line that `init` reads.
  var message: Message {
    switch self {
    case .add(let path): Message("add", Field("path", path))
    case .play(let index?): Message("play", Field("index", String(index)))
    case .play(nil): Message("play")
    case .pause: Message("pause")
    case .toggle: Message("toggle")
    case .next: Message("next")
    case .previous: Message("previous")
    case .stop: Message("stop")
    case .clear: Message("clear")
    case .list: Message("list")
    case .status: Message("status")
    case .watch: Message("watch")
    case .quit: Message("quit")
    case .seek(.to(let seconds)): Message("seek", Field("position", String(seconds)))
    case .seek(.by(let seconds)): Message("seek", Field("offset", String(seconds)))
    case .volume(let percent): Message("volume", Field("percent", String(percent)))
    case .remove(let index): Message("remove", Field("index", String(index)))
    case .repeatMode(let mode): Message("repeat", Field("mode", mode.rawValue))
    }
  }
}

extension ControlRequest.Seek {
  fileprivate init(_ message: Message) throws(WireError) {
    if let seconds = try message.finite("position") {
      self = .to(seconds)
    } else if let seconds = try message.finite("offset") {
      self = .by(seconds)
    } else {
      throw .missingField("position or offset")
    }
  }
}

extension Message {
  fileprivate func required(_ key: String) throws(WireError) -> String {
    guard let text = self[key] else { throw .missingField(key) }
    return text
  }

  fileprivate func place(_ key: String) throws(WireError) -> Int? {
    guard let text = self[key] else { return nil }
    guard let value = Int(text), value > 0 else {
      throw .badValue(key: key, value: text, expected: "a place in the queue, from 1")
    }
    return value
  }

  fileprivate func percent(_ key: String) throws(WireError) -> Int {
    let text = try required(key)
    guard let value = Int(text), (0...100).contains(value) else {
      throw .badValue(key: key, value: text, expected: "a whole number from 0 to 100")
    }
    return value
  }

  fileprivate func mode(_ key: String) throws(WireError) -> RepeatMode {
    let text = try required(key)
    guard let mode = RepeatMode(rawValue: text) else {
      throw .badValue(key: key, value: text, expected: "one of off, all, one")
    }
    return mode
  }

  fileprivate func finite(_ key: String) throws(WireError) -> Double? {
    guard let text = self[key] else { return nil }
    guard let value = Double(text), value.isFinite else {
      throw .badValue(key: key, value: text, expected: "seconds")
    }
    return value
  }
}

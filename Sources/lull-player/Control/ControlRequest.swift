import LullPlayer
import LullWire

/// The requests of the command line to the player, one text line each (grammar of docs/PROTOCOL.md).
enum ControlRequest: Equatable {
  /// The place to go to in the current item.
  enum Seek: Equatable {
    case to(Double)
    case by(Double)
  }

  case add(QueueEntry)
  /// `index` counts from 1, as `list` does.
  case play(index: Int?)
  case pause, toggle, next, previous, stop, clear, list, status, watch, quit
  case seek(Seek)
  case volume(Int)
  /// So many percent more or less, as far as there are any.
  case volumeBy(Int)
  case remove(index: Int)
  case repeatMode(RepeatMode)
  case shuffle(Bool)
  /// Without decibels the preamplifier stays as it is.
  case replayGain(ReplayGainMode, preamp: Double?)

  init(_ message: Message) throws(WireError) {
    switch message.verb {
    case "add": self = .add(QueueEntry(try message.location(), Excerpt(message)))
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
    case "volume" where message["offset"] != nil: self = .volumeBy(try message.change("offset"))
    case "volume": self = .volume(try message.percent("percent"))
    case "remove":
      guard let index = try message.place("index") else { throw .missingField("index") }
      self = .remove(index: index)
    case "repeat": self = .repeatMode(try message.mode("mode"))
    case "shuffle": self = .shuffle(try message.isOn("mode"))
    case "replaygain": self = .replayGain(try message.gainMode("mode"), preamp: try message.preamp("preamp"))
    case let verb: throw .unknownVerb(verb, suggestion: nil)
    }
  }

  /// True when the request plays on from the place where the player stopped.
  var plays: Bool { self == .play(index: nil) || self == .toggle }

  /// The message that `init` reads.
  var message: Message {
    switch self {
    case .add(let entry):
      var message = Message("add", Field("path", entry.location.text))
      if let excerpt = entry.excerpt { message.append(excerpt) }
      return message
    case .play(let index?): return Message("play", Field("index", String(index)))
    case .play(nil): return Message("play")
    case .pause: return Message("pause")
    case .toggle: return Message("toggle")
    case .next: return Message("next")
    case .previous: return Message("previous")
    case .stop: return Message("stop")
    case .clear: return Message("clear")
    case .list: return Message("list")
    case .status: return Message("status")
    case .watch: return Message("watch")
    case .quit: return Message("quit")
    case .seek(.to(let seconds)): return Message("seek", Field("position", String(seconds)))
    case .seek(.by(let seconds)): return Message("seek", Field("offset", String(seconds)))
    case .volume(let percent): return Message("volume", Field("percent", String(percent)))
    case .volumeBy(let percent): return Message("volume", Field("offset", String(percent)))
    case .remove(let index): return Message("remove", Field("index", String(index)))
    case .repeatMode(let mode): return Message("repeat", Field("mode", mode.rawValue))
    case .shuffle(let flag): return Message("shuffle", Field("mode", flag ? "on" : "off"))
    case .replayGain(let mode, let preamp):
      var message = Message("replaygain", Field("mode", mode.rawValue))
      if let preamp { message.append(Field("preamp", String(preamp))) }
      return message
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

  fileprivate func location() throws(WireError) -> Location {
    let text = try required("path")
    guard let location = Location(text: text) else {
      throw .badValue(key: "path", value: text, expected: "an absolute path or a URL")
    }
    return location
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

  fileprivate func change(_ key: String) throws(WireError) -> Int {
    let text = try required(key)
    guard let value = Int(text), (-100...100).contains(value) else {
      throw .badValue(key: key, value: text, expected: "a whole number from -100 to 100")
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

  fileprivate func gainMode(_ key: String) throws(WireError) -> ReplayGainMode {
    let text = try required(key)
    guard let mode = ReplayGainMode(rawValue: text) else {
      throw .badValue(key: key, value: text, expected: "one of off, track, album, auto")
    }
    return mode
  }

  fileprivate func preamp(_ key: String) throws(WireError) -> Double? {
    guard let text = self[key] else { return nil }
    guard let value = Double(text), ReplayGainSettings.preamps.contains(value) else {
      throw .badValue(key: key, value: text, expected: "decibels from -15 to 15")
    }
    return value
  }

  fileprivate func isOn(_ key: String) throws(WireError) -> Bool {
    switch try required(key) {
    case "on": return true
    case "off": return false
    case let text: throw .badValue(key: key, value: text, expected: "on or off")
    }
  }

  fileprivate func finite(_ key: String) throws(WireError) -> Double? {
    guard let text = self[key] else { return nil }
    guard let value = Double(text), value.isFinite else {
      throw .badValue(key: key, value: text, expected: "seconds")
    }
    return value
  }
}

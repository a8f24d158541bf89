import LullPlayer
import LullWire

/// Carries out the requests of the control socket, one message each (grammar of docs/PROTOCOL.md). It knows
/// nothing of sockets.
struct Controller {
  /// The effect of a request on its connection or the player, beside its answer. Raw values are the requests.
  enum Consequence: String {
    case none
    /// The connection is told of every change from now on.
    case watch
    case quit
  }

  let player: QueuePlayer
  var covers: Covers?
  let troubles: () -> PlayerTroubles

  /// The messages of the answer, the last of them `ok` or `error`.
  func answer(_ request: Message) -> (messages: [Message], consequence: Consequence) {
    do {
      return (try carryOut(request), Consequence(rawValue: request.verb) ?? .none)
    } catch let error as WireError {
      return ([Reply(error).message], .none)
    } catch {
      let plays = request.verb == "toggle" || request.verb == "play" && request["index"] == nil
      let hint = player.queue.isEmpty && plays ? " (lull-player add FILE...)" : ""
      let reason = (error as? QueuePlayer.Refusal)?.reason ?? "\(error)"
      return ([Reply.error(code: .refused, message: reason + hint).message], .none)
    }
  }

  func report(_ verb: String) -> Message {
    StatusReport(player, troubles(), covers: covers, verb: verb).message
  }

  private func carryOut(_ request: Message) throws -> [Message] {
    switch request.verb {
    case "add":
      let entry = try request.required("path", "an absolute path or a URL") { _ in QueueEntry(request) }
      let item = try player.add(entry)
      return [Message("ok", Field("index", String(player.queue.items.count)), Field("title", item.title))]
    case "list": return list() + [report("ok")]
    case "status", "watch", "quit": break
    case "play": try player.play(request["index"] == nil ? nil : item(request))
    case "pause": player.pause()
    case "toggle": try player.togglePlayPause()
    case "next": player.next()
    case "previous": player.previous()
    case "stop": player.stop()
    case "clear": player.clear()
    case "remove": player.remove(try item(request))
    default: try set(request)
    }
    return [report("ok")]
  }

  private func set(_ request: Message) throws {
    func seconds(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
    switch request.verb {
    case "seek":
      if let place = try request.value("position", "seconds", seconds) {
        try player.seek(to: place)
      } else if let change = try request.value("offset", "seconds", seconds) {
        try player.seek(by: change)
      } else {
        throw WireError.missingField("position or offset")
      }
    case "volume":
      if let more = try request.number("offset", in: -100...100) {
        player.setVolume(player.volume + more)
      } else if let percent = try request.number("percent", in: 0...100) {
        player.setVolume(percent)
      } else {
        throw WireError.missingField("percent")
      }
    case "repeat":
      player.setRepeatMode(try request.required("mode", "one of off, all, one", RepeatMode.init(rawValue:)))
    case "shuffle":
      player.setShuffle(try request.required("mode", "on or off") { ["on": true, "off": false][$0] })
    case "replaygain":
      let mode = try request.required(
        "mode", "one of off, track, album, auto", ReplayGainMode.init(rawValue:))
      let preamp = try request.value("preamp", "decibels from -15 to 15") { text in
        Double(text).flatMap { ReplayGainSettings.preamps.contains($0) ? $0 : nil }
      }
      player.setReplayGain(ReplayGainSettings(mode: mode, preamp: preamp ?? player.replayGain.preamp))
    case let verb: throw WireError.unknownVerb(verb, suggestion: nil)
    }
  }

  private func list() -> [Message] {
    let current = player.currentItem?.id
    return player.queue.items.enumerated().map { index, item in
      let failure: String? = if case .failed(let reason) = item.status { reason } else { nil }
      var message = Message("item", Field("index", String(index + 1)), Field("path", item.location.text))
      message.append([
        ("title", item.title), ("duration", item.duration.map { String($0) }),
        ("current", item.id == current ? "true" : nil), ("failed", failure),
      ])
      return message
    }
  }

  private func item(_ request: Message) throws -> ItemID {
    let index = try request.required("index", "a place in the queue, from 1") { text in
      Int(text).flatMap { $0 > 0 ? $0 : nil }
    }
    let items = player.queue.items
    guard items.indices.contains(index - 1) else {
      throw QueuePlayer.Refusal(reason: "the queue has \(items.count) items, no number \(index)")
    }
    return items[index - 1].id
  }
}

extension Message {
  fileprivate func value<Value>(
    _ key: String, _ expected: String, _ read: (String) -> Value?
  ) throws(WireError) -> Value? {
    guard let text = self[key] else { return nil }
    if let value = read(text) { return value }
    throw .badValue(key: key, value: text, expected: expected)
  }

  fileprivate func required<Value>(
    _ key: String, _ expected: String, _ read: (String) -> Value?
  ) throws(WireError) -> Value {
    if let value = try value(key, expected, read) { return value }
    throw .missingField(key)
  }

  fileprivate func number(_ key: String, in range: ClosedRange<Int>) throws(WireError) -> Int? {
    try value(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

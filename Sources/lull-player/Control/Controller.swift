import LullPlayer
import LullWire

/// The troubles around the player, in one text line each; nil: none.
struct PlayerTroubles: Equatable {
  /// The reason why there is no MPRIS.
  var withoutMpris: String?
  /// The reason why the queue is not saved.
  var unsaved: String?
}

/// Carries out the requests of the control socket. It knows nothing of sockets.
struct Controller {
  /// The effect of a request on its connection or the player, beside its answer.
  enum Consequence {
    case none
    /// The connection is told of every change from now on.
    case watch
    case quit
  }

  let player: QueuePlayer
  var covers: Covers?
  let troubles: () -> PlayerTroubles

  /// The messages of the answer, the last of them `ok` or `error`.
  func answer(_ message: Message) -> (messages: [Message], consequence: Consequence) {
    do throws(WireError) {
      let request = try ControlRequest(message)
      do throws(QueuePlayer.Refusal) {
        return (try carryOut(request), consequence(of: request))
      } catch {
        let hint = player.queue.isEmpty && request.plays ? " (lull-player add FILE...)" : ""
        return ([Reply.error(code: .refused, message: error.reason + hint).message], .none)
      }
    } catch {
      return ([Reply(error).message], .none)
    }
  }

  /// The player's report of itself.
  func report(_ verb: String) -> Message {
    StatusReport(player, troubles(), covers: covers).message(verb)
  }

  private func consequence(of request: ControlRequest) -> Consequence {
    switch request {
    case .watch: .watch
    case .quit: .quit
    default: .none
    }
  }

  private func carryOut(_ request: ControlRequest) throws(QueuePlayer.Refusal) -> [Message] {
    switch request {
    case .add(let entry): return [try add(entry)]
    case .list: return list() + [report("ok")]
    case .status, .watch, .quit: break
    case .play(let index?): try player.play(item(index))
    case .play(nil): try player.play()
    case .pause: player.pause()
    case .toggle: try player.togglePlayPause()
    case .next: player.next()
    case .previous: player.previous()
    case .stop: player.stop()
    case .clear: player.clear()
    case .seek(.to(let seconds)): try player.seek(to: seconds)
    case .seek(.by(let seconds)): try player.seek(by: seconds)
    case .volume(let percent): player.setVolume(percent)
    case .volumeBy(let percent): player.setVolume(player.volume + percent)
    case .remove(let index): player.remove(try item(index))
    case .repeatMode(let mode): player.setRepeatMode(mode)
    case .shuffle(let flag): player.setShuffle(flag)
    case .replayGain(let mode, let preamp):
      player.setReplayGain(ReplayGainSettings(mode: mode, preamp: preamp ?? player.replayGain.preamp))
    }
    return [report("ok")]
  }

  private func add(_ entry: QueueEntry) throws(QueuePlayer.Refusal) -> Message {
    do throws(DecodeError) {
      let item = try player.add(entry)
      return Message("ok", Field("index", String(player.queue.items.count)), Field("title", item.title))
    } catch {
      throw QueuePlayer.Refusal(reason: "\(error)")
    }
  }

  private func list() -> [Message] {
    let current = player.currentItem?.id
    return player.queue.items.enumerated().map { index, item in
      var message = Message("item", Field("index", String(index + 1)), Field("path", item.location.text))
      message.append(Field("title", item.title))
      if let duration = item.duration { message.append(Field("duration", String(duration))) }
      if item.id == current { message.append(Field("current", "true")) }
      if case .failed(let reason) = item.status { message.append(Field("failed", reason)) }
      return message
    }
  }

  private func item(_ index: Int) throws(QueuePlayer.Refusal) -> ItemID {
    guard player.queue.items.indices.contains(index - 1) else {
      throw QueuePlayer.Refusal(reason: "the queue has \(player.queue.items.count) items, no number \(index)")
    }
    return player.queue.items[index - 1].id
  }
}

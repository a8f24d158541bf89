import Lull
import LullPlayer
import RemoteControl

final class PlayerRemote {
  private static let identity = RemoteIdentity(
    name: "lull", title: "Lull player", schemes: ["file", "http", "https"],
    types: ["audio/x-wav", "audio/flac", "audio/ogg", "audio/opus", "audio/vorbis", "audio/mpeg"],
    canQuit: true)

  let control: RemoteControl
  private let player: QueuePlayer
  private let covers: Covers?

  init(
    _ application: Application, player: QueuePlayer, covers: Covers?, onQuit: @escaping () -> Void
  ) throws(BusError) {
    (self.player, self.covers) = (player, covers)
    control = try RemoteControl(application, Self.identity) { command throws(RemoteRefusal) in
      if command == .quit { return onQuit() }
      do throws(QueuePlayer.Refusal) {
        try player.obey(command)
      } catch {
        throw RemoteRefusal(error.reason)
      }
    }
    control.position = { player.position }
    refresh()
  }

  func refresh() {
    var now = NowPlaying(player)
    if let location = player.currentItem?.location {
      now.track?.artworkURL = covers?.cover(of: location)?.url
    }
    control.nowPlaying = now
  }
}

extension QueuePlayer {
  fileprivate func obey(_ command: RemoteCommand) throws(Refusal) {
    switch command {
    case .play: try play()
    case .pause: pause()
    case .toggle: try togglePlayPause()
    case .stop: stop()
    case .next: next()
    case .previous: previous()
    case .seek(let seconds): try seek(to: seconds)
    case .skip(let seconds): try seek(by: seconds)
    case .setVolume(let part): setVolume(Int((part * 100).rounded()))
    case .setRepeatMode(let mode):
      NowPlaying.RepeatMode.of.first { $0.value == mode }.map { setRepeatMode($0.key) }
    case .open(let url): try open(url)
    case .setShuffle(let flag): setShuffle(flag)
    case .raise, .quit: return
    }
  }

  private func open(_ url: String) throws(Refusal) {
    guard !url.hasPrefix("/"), let location = Location(text: url) else {
      throw Refusal(reason: "\(url): only file:, http: and https: URLs can be played")
    }
    var first: ItemID?
    let found = MusicCollection(location)
    var reason = found.failures.first.map { "\($0.error)" } ?? "no music in it"
    for entry in found.entries {
      do throws(DecodeError) {
        let item = try add(entry)
        first = first ?? item.id
      } catch {
        reason = "\(error)"
      }
    }
    guard let first else { throw Refusal(reason: "\(url): \(reason)") }
    try play(first)
  }
}

extension NowPlaying.RepeatMode {
  fileprivate static let of: [RepeatMode: NowPlaying.RepeatMode] = [.off: .off, .one: .one, .all: .all]
}

extension NowPlaying {
  init(_ player: QueuePlayer) {
    self.init()
    status =
      switch player.status {
      case .playing: .playing
      case .paused, .interrupted: .paused
      case .stopped: .stopped
      }
    track = player.currentItem.map(Track.init)
    position = player.position
    volume = Double(player.volume) / 100
    repeatMode = RepeatMode.of[player.queue.repeatMode]
    shuffle = player.queue.isShuffled
    abilities = NowPlaying.abilities(player)
  }

  private static func abilities(_ player: QueuePlayer) -> Abilities {
    var abilities: Abilities = player.queue.isEmpty ? [] : [.play, .pause]
    guard let current = player.currentItem?.id else { return abilities }
    abilities.insert(.seek)
    if player.queue.following(current) != nil { abilities.insert(.next) }
    if player.queue.preceding(current) != nil { abilities.insert(.previous) }
    return abilities
  }
}

extension NowPlaying.Track {
  init(_ item: PlayerItem) {
    let tags = item.tags
    self.init(number: item.id.number, title: tags.title ?? item.fileName)
    (artist, album, genre) = (tags.artist, tags.album, tags.genre)
    // "3" or "3/12".
    trackNumber = tags.trackNumber.flatMap { Int32($0.prefix { $0.isASCII && $0.isNumber }) }
    duration = item.duration
    url = item.location.url
  }
}

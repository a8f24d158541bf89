import Lull
import LullPlayer
import RemoteControl

extension RemoteIdentity {
  static let player = RemoteIdentity(
    name: "lull", title: "Lull player", schemes: ["file", "http", "https"],
    types: ["audio/x-wav", "audio/flac", "audio/ogg", "audio/opus", "audio/vorbis", "audio/mpeg"],
    canQuit: true)
}

extension QueuePlayer {
  func obey(_ command: RemoteCommand) throws(Refusal) {
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
    case .setRepeatMode(let mode): setRepeatMode(RepeatMode.allCases.first { mode == .init($0) } ?? .off)
    case .open(let url): try open(url)
    case .setShuffle(let flag): setShuffle(flag)
    case .raise, .quit: return
    }
  }

  private func open(_ url: String) throws(Refusal) {
    guard !url.hasPrefix("/"), let location = MediaLocation(text: url) else {
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
  fileprivate init(_ mode: RepeatMode) {
    switch mode {
    case .off: self = .off
    case .one: self = .one
    case .all: self = .all
    }
  }
}

extension NowPlaying {
  init(_ player: QueuePlayer, _ covers: Covers? = nil) {
    self.init()
    status =
      switch player.status {
      case .playing: .playing
      case .paused, .interrupted: .paused
      case .stopped: .stopped
      }
    position = player.position
    volume = Double(player.volume) / 100
    repeatMode = RepeatMode(player.queue.repeatMode)
    shuffle = player.queue.isShuffled
    abilities = player.queue.isEmpty ? [] : [.play, .pause]
    guard let item = player.currentItem else { return }
    track = Track(item, artworkURL: covers?.cover(of: item.location)?.url)
    abilities.insert(.seek)
    if player.queue.following(item.id) != nil { abilities.insert(.next) }
    if player.queue.preceding(item.id) != nil { abilities.insert(.previous) }
  }
}

extension NowPlaying.Track {
  fileprivate init(_ item: PlayerItem, artworkURL: String?) {
    let tags = item.tags
    self.init(number: item.id.number, title: tags.title ?? item.fileName)
    (artist, album, genre) = (tags.artist, tags.album, tags.genre)
    // "3" or "3/12".
    trackNumber = tags.trackNumber.flatMap { Int32($0.prefix { $0.isASCII && $0.isNumber }) }
    (duration, url, self.artworkURL) = (item.duration, item.location.url, artworkURL)
  }
}

/// The properties of the two interfaces (MPRIS D-Bus Interface Specification 2.2).
struct MprisProperties {
  static let rootInterface = "org.mpris.MediaPlayer2"
  static let playerInterface = "org.mpris.MediaPlayer2.Player"
  private static let trackPath = "/org/mpris/MediaPlayer2/Track/"
  private static let noTrack = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

  let player: QueuePlayer

  /// The properties of an interface; nil: there is no such interface.
  func all(_ interface: String) -> [(String, BusValue)]? {
    switch interface {
    case Self.rootInterface: root
    case Self.playerInterface: values(Self.playerNames)
    default: nil
    }
  }

  func value(_ interface: String, _ name: String) -> BusValue? {
    all(interface)?.first { $0.0 == name }?.1
  }

  /// Those of the player's interface that a change concerns.
  func affected(by change: QueuePlayer.Change) -> [String] {
    switch change {
    case .queue: ["CanGoNext", "CanGoPrevious", "CanPlay", "CanPause", "CanSeek"]
    case .currentItem: ["Metadata", "CanGoNext", "CanGoPrevious", "CanPlay", "CanPause", "CanSeek"]
    case .status: ["PlaybackStatus"]
    case .volume: ["Volume"]
    case .repeatMode: ["LoopStatus", "CanGoNext", "CanGoPrevious"]
    case .position, .note: []
    }
  }

  func values(_ names: [String]) -> [(String, BusValue)] {
    names.compactMap { name in playerValue(name).map { (name, $0) } }
  }

  /// Microseconds.
  var position: Int64 { Int64(player.position * 1e6) }

  /// The path that stands for the current item.
  var trackPath: String {
    player.currentItem.map { "\(Self.trackPath)\($0.id.number)" } ?? Self.noTrack
  }

  private static let playerNames = [
    "PlaybackStatus", "LoopStatus", "Rate", "Metadata", "Volume", "Position", "MinimumRate", "MaximumRate",
    "CanGoNext", "CanGoPrevious", "CanPlay", "CanPause", "CanSeek", "CanControl",
  ]

  private var root: [(String, BusValue)] {
    [
      ("CanQuit", .bool(true)), ("CanRaise", .bool(false)), ("HasTrackList", .bool(false)),
      ("Identity", .string("Lull player")), ("SupportedUriSchemes", .strings(["file"])),
      (
        "SupportedMimeTypes",
        .strings(["audio/x-wav", "audio/flac", "audio/ogg", "audio/opus", "audio/vorbis", "audio/mpeg"])
      ),
    ]
  }

  private func playerValue(_ name: String) -> BusValue? {
    let current = player.currentItem?.id
    switch name {
    case "PlaybackStatus": return .string(playbackStatus)
    case "LoopStatus": return .string(player.queue.repeatMode.loopStatus)
    case "Rate", "MinimumRate", "MaximumRate": return .double(1)
    case "Metadata": return metadata
    case "Volume": return .double(Double(player.volume) / 100)
    case "Position": return .int64(position)
    case "CanGoNext": return .bool(current != nil && player.queue.following(current) != nil)
    case "CanGoPrevious": return .bool(current != nil && player.queue.preceding(current) != nil)
    case "CanPlay", "CanPause": return .bool(!player.queue.isEmpty)
    case "CanSeek": return .bool(current != nil)
    case "CanControl": return .bool(true)
    default: return nil
    }
  }

  private var playbackStatus: String {
    switch player.status {
    case .playing: "Playing"
    case .paused, .interrupted: "Paused"
    case .stopped: "Stopped"
    }
  }

  private var metadata: BusValue {
    guard let item = player.currentItem else {
      return .dictionary([("mpris:trackid", .objectPath(Self.noTrack))])
    }
    let tags = item.description?.tags ?? Tags()
    var entries: [(String, BusValue)] = [
      ("mpris:trackid", .objectPath(trackPath)), ("xesam:url", .string(FileURL.text(path: item.path))),
      ("xesam:title", .string(tags.title ?? item.fileName)),
    ]
    if let seconds = item.duration { entries.append(("mpris:length", .int64(Int64(seconds * 1e6)))) }
    if let artist = tags.artist { entries.append(("xesam:artist", .strings([artist]))) }
    if let album = tags.album { entries.append(("xesam:album", .string(album))) }
    if let genre = tags.genre { entries.append(("xesam:genre", .strings([genre]))) }
    return .dictionary(entries)
  }
}

extension RepeatMode {
  var loopStatus: String {
    switch self {
    case .off: "None"
    case .one: "Track"
    case .all: "Playlist"
    }
  }

  init?(loopStatus: String) {
    guard let mode = RepeatMode.allCases.first(where: { $0.loopStatus == loopStatus }) else { return nil }
    self = mode
  }
}

import LullBus
import LullSystem

/// The properties of the two interfaces (MPRIS D-Bus Interface Specification 2.2).
struct Properties {
  static let path = "/org/mpris/MediaPlayer2"
  static let interface = "org.freedesktop.DBus.Properties"
  static let rootInterface = "org.mpris.MediaPlayer2"
  static let playerInterface = "org.mpris.MediaPlayer2.Player"
  private static let trackPath = "/org/mpris/MediaPlayer2/Track/"
  private static let noTrack = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

  private let identity: RemoteIdentity
  private let now: NowPlaying

  init(_ identity: RemoteIdentity, _ now: NowPlaying) { (self.identity, self.now) = (identity, now) }

  func all(_ interface: String) -> [(String, BusValue)]? {
    switch interface {
    case Self.rootInterface: root
    case Self.playerInterface: player
    default: nil
    }
  }

  func value(_ interface: String, _ name: String) -> BusValue? {
    all(interface)?.first { $0.0 == name }?.1
  }

  /// The changed properties to announce, without `Position`, which moves by itself and has a signal for
  /// jumps.
  func changed(since old: NowPlaying) -> [(String, BusValue)] {
    let before = Properties(identity, old)
    return player.filter { name, value in
      name != "Position" && before.value(Self.playerInterface, name) != value
    }
  }

  var position: Int64 { Self.microseconds(max(0, now.position)) }
  var trackPath: String { now.track.map { "\(Self.trackPath)\($0.number)" } ?? Self.noTrack }

  private static func microseconds(_ seconds: Double) -> Int64 {
    Int64(saturating: (seconds * 1e6).rounded())
  }

  private var root: [(String, BusValue)] {
    [
      ("CanQuit", .bool(identity.canQuit)), ("CanRaise", .bool(identity.canRaise)),
      ("HasTrackList", .bool(false)), ("Identity", .string(identity.title)),
      ("DesktopEntry", .string(identity.desktopEntry ?? "")),
      ("SupportedUriSchemes", .strings(identity.schemes)), ("SupportedMimeTypes", .strings(identity.types)),
    ]
  }

  private var player: [(String, BusValue)] {
    func can(_ ability: NowPlaying.Abilities) -> BusValue { .bool(now.abilities.contains(ability)) }
    var list: [(String, BusValue)] = [
      ("PlaybackStatus", .string(now.status.rawValue)), ("Rate", .double(now.rate)),
      ("Metadata", metadata), ("Volume", .double(now.volume ?? 1)), ("Position", .int64(position)),
      ("MinimumRate", .double(now.rate)), ("MaximumRate", .double(now.rate)), ("CanGoNext", can(.next)),
      ("CanGoPrevious", can(.previous)), ("CanPlay", can(.play)), ("CanPause", can(.pause)),
      ("CanSeek", can(.seek)), ("CanControl", .bool(true)),
    ]
    if let mode = now.repeatMode { list.append(("LoopStatus", .string(mode.rawValue))) }
    if let shuffle = now.shuffle { list.append(("Shuffle", .bool(shuffle))) }
    return list
  }

  private var metadata: BusValue {
    var entries: [(String, BusValue)] = [("mpris:trackid", .objectPath(trackPath))]
    guard let track = now.track else { return .dictionary(entries) }
    let optional: [(String, BusValue?)] = [
      ("mpris:length", track.duration.map { .int64(Self.microseconds($0)) }),
      ("mpris:artUrl", track.artworkURL.map(BusValue.string)), ("xesam:url", track.url.map(BusValue.string)),
      ("xesam:title", .string(track.title)), ("xesam:artist", track.artist.map { .strings([$0]) }),
      ("xesam:album", track.album.map(BusValue.string)), ("xesam:genre", track.genre.map { .strings([$0]) }),
      ("xesam:trackNumber", track.trackNumber.map(BusValue.int32)),
    ]
    for case (let key, let value?) in optional { entries.append((key, value)) }
    return .dictionary(entries)
  }
}

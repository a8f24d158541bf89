import LullBus
import LullSystem

/// The properties of the two interfaces (MPRIS D-Bus Interface Specification 2.2), and what
/// `busctl introspect` shows of them.
struct Properties {
  typealias Property = (name: String, type: String, isWritable: Bool, value: BusValue?)

  static let path = "/org/mpris/MediaPlayer2"
  static let interface = "org.freedesktop.DBus.Properties"
  static let rootInterface = "org.mpris.MediaPlayer2"
  static let playerInterface = "org.mpris.MediaPlayer2.Player"

  let identity: RemoteIdentity
  let now: NowPlaying

  init(_ identity: RemoteIdentity, _ now: NowPlaying) { (self.identity, self.now) = (identity, now) }

  func all(_ interface: String) -> [BusEntry]? {
    let properties: [Property]
    switch interface {
    case Self.rootInterface: properties = root
    case Self.playerInterface: properties = player
    default: return nil
    }
    return properties.compactMap { property in property.value.map { BusEntry(property.name, $0) } }
  }

  func value(_ interface: String, _ name: String) -> BusValue? {
    all(interface)?.first { $0.key == name }?.value
  }

  /// The changed properties to announce, without `Position`, which moves by itself and has a signal for
  /// jumps.
  func changed(since old: NowPlaying) -> [BusEntry] {
    let before = Properties(identity, old)
    return (all(Self.playerInterface) ?? []).filter { property in
      property.key != "Position" && before.value(Self.playerInterface, property.key) != property.value
    }
  }

  var position: Int64 { Self.microseconds(max(0, now.position)) }

  var trackPath: String {
    now.track.map { "\(Self.path)/Track/\($0.number)" } ?? "\(Self.path)/TrackList/NoTrack"
  }

  private static func microseconds(_ seconds: Double) -> Int64 {
    Int64(saturating: (seconds * 1e6).rounded())
  }

  private var root: [Property] {
    [
      ("CanQuit", "b", false, .bool(identity.canQuit)), ("CanRaise", "b", false, .bool(identity.canRaise)),
      ("HasTrackList", "b", false, .bool(false)), ("Identity", "s", false, .string(identity.title)),
      ("DesktopEntry", "s", false, .string(identity.desktopEntry ?? "")),
      ("SupportedUriSchemes", "as", false, .strings(identity.schemes)),
      ("SupportedMimeTypes", "as", false, .strings(identity.types)),
    ]
  }

  private var player: [Property] {
    func can(_ ability: NowPlaying.Abilities) -> BusValue { .bool(now.abilities.contains(ability)) }
    return [
      ("PlaybackStatus", "s", false, .string(now.status.rawValue)),
      ("LoopStatus", "s", true, now.repeatMode.map { .string($0.rawValue) }),
      ("Shuffle", "b", true, now.shuffle.map(BusValue.bool)), ("Rate", "d", true, .double(now.rate)),
      ("Metadata", "a{sv}", false, metadata), ("Volume", "d", true, .double(now.volume ?? 1)),
      ("Position", "x", false, .int64(position)), ("MinimumRate", "d", false, .double(now.rate)),
      ("MaximumRate", "d", false, .double(now.rate)), ("CanGoNext", "b", false, can(.next)),
      ("CanGoPrevious", "b", false, can(.previous)), ("CanPlay", "b", false, can(.play)),
      ("CanPause", "b", false, can(.pause)), ("CanSeek", "b", false, can(.seek)),
      ("CanControl", "b", false, .bool(true)),
    ]
  }

  private var metadata: BusValue {
    let track = now.track
    let entries: [(String, BusValue?)] = [
      ("mpris:trackid", .objectPath(trackPath)),
      ("mpris:length", track?.duration.map { .int64(Self.microseconds($0)) }),
      ("mpris:artUrl", track?.artworkURL.map(BusValue.string)),
      ("xesam:url", track?.url.map(BusValue.string)), ("xesam:title", track.map { .string($0.title) }),
      ("xesam:artist", track?.artist.map { .strings([$0]) }),
      ("xesam:album", track?.album.map(BusValue.string)),
      ("xesam:genre", track?.genre.map { .strings([$0]) }),
      ("xesam:trackNumber", track?.trackNumber.map(BusValue.int32)),
    ]
    return .dictionary(entries.compactMap { key, value in value.map { BusEntry(key, $0) } })
  }

  var introspection: String {
    func lines(_ properties: [Property]) -> String {
      properties.map { property in
        let access = property.isWritable ? "readwrite" : "read"
        return "  <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"/>"
      }.joined(separator: "\n")
    }
    return """
      <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
      <node>
       <interface name="\(Self.interface)">
        <method name="Get"><arg type="s"/><arg type="s"/><arg direction="out" type="v"/></method>
        <method name="GetAll"><arg type="s"/><arg direction="out" type="a{sv}"/></method>
        <method name="Set"><arg type="s"/><arg type="s"/><arg type="v"/></method>
        <signal name="PropertiesChanged"><arg type="s"/><arg type="a{sv}"/><arg type="as"/></signal>
       </interface>
       <interface name="\(Self.rootInterface)">
        <method name="Raise"/>
        <method name="Quit"/>
      \(lines(root))
       </interface>
       <interface name="\(Self.playerInterface)">
        <method name="Next"/>
        <method name="Previous"/>
        <method name="Pause"/>
        <method name="PlayPause"/>
        <method name="Stop"/>
        <method name="Play"/>
        <method name="Seek"><arg name="Offset" type="x"/></method>
        <method name="SetPosition"><arg name="TrackId" type="o"/><arg name="Position" type="x"/></method>
        <method name="OpenUri"><arg name="Uri" type="s"/></method>
        <signal name="Seeked"><arg name="Position" type="x"/></signal>
      \(lines(player))
       </interface>
      </node>
      """
  }
}

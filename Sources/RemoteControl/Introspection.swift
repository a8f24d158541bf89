/// The text that `busctl introspect` shows.
enum Introspection {
  static let text = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>
     <interface name="org.freedesktop.DBus.Properties">
      <method name="Get"><arg name="interface" direction="in" type="s"/>\
    <arg name="name" direction="in" type="s"/>\
    <arg name="value" direction="out" type="v"/></method>
      <method name="GetAll"><arg name="interface" direction="in" type="s"/>\
    <arg name="values" direction="out" type="a{sv}"/></method>
      <method name="Set"><arg name="interface" direction="in" type="s"/>\
    <arg name="name" direction="in" type="s"/>\
    <arg name="value" direction="in" type="v"/></method>
      <signal name="PropertiesChanged"><arg name="interface" type="s"/><arg name="changed" type="a{sv}"/>\
    <arg name="invalidated" type="as"/></signal>
     </interface>
     <interface name="org.mpris.MediaPlayer2">
      <method name="Raise"/>
      <method name="Quit"/>
    \(properties([
      ("CanQuit", "b", false), ("CanRaise", "b", false), ("HasTrackList", "b", false),
      ("Identity", "s", false),
      ("DesktopEntry", "s", false),
      ("SupportedUriSchemes", "as", false), ("SupportedMimeTypes", "as", false),
    ]))
     </interface>
     <interface name="org.mpris.MediaPlayer2.Player">
      <method name="Next"/>
      <method name="Previous"/>
      <method name="Pause"/>
      <method name="PlayPause"/>
      <method name="Stop"/>
      <method name="Play"/>
      <method name="Seek"><arg name="Offset" direction="in" type="x"/></method>
      <method name="SetPosition"><arg name="TrackId" direction="in" type="o"/>\
    <arg name="Position" direction="in" type="x"/></method>
      <method name="OpenUri"><arg name="Uri" direction="in" type="s"/></method>
      <signal name="Seeked"><arg name="Position" type="x"/></signal>
    \(properties([
      ("PlaybackStatus", "s", false), ("LoopStatus", "s", true), ("Shuffle", "b", true),
      ("Rate", "d", true),
      ("Metadata", "a{sv}", false), ("Volume", "d", true), ("Position", "x", false),
      ("MinimumRate", "d", false),
      ("MaximumRate", "d", false), ("CanGoNext", "b", false), ("CanGoPrevious", "b", false),
      ("CanPlay", "b", false), ("CanPause", "b", false), ("CanSeek", "b", false), ("CanControl", "b", false),
    ]))
     </interface>
    </node>
    """

  private static func properties(_ list: [(name: String, type: String, isWritable: Bool)]) -> String {
    list.map { property in
      let access = property.isWritable ? "readwrite" : "read"
      return "  <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"/>"
    }.joined(separator: "\n")
  }
}

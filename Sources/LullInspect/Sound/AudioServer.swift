/// A server to which programs send sound.
package enum AudioServer: String, Sendable {
  /// PulseAudio, or PipeWire in its place.
  case pulseAudio = "PulseAudio"
  case pipeWire = "PipeWire"
  case jack = "JACK"

  init?(peer path: String) {
    let parts = path.split(separator: "/")
    guard path.hasPrefix("/"), parts.count > 1, let name = parts.last else { return nil }
    // The second is that of Windows (WSLg).
    if name == "native" && Self.isPulseDirectory(parts.dropLast()) || name == "PulseServer" {
      self = .pulseAudio
    } else if Self.isPipeWire(name) {
      self = .pipeWire
    } else if path.hasPrefix("/dev/shm/jack") || path.hasPrefix("/tmp/jack-") || name.hasPrefix("jack_") {
      self = .jack
    } else {
      return nil
    }
  }

  /// "/run/user/1000/pulse", "/tmp/pulse-x7Kq", "~/.config/pulse/0123-runtime".
  private static func isPulseDirectory(_ parts: ArraySlice<Substring>) -> Bool {
    guard let directory = parts.last else { return false }
    if directory == "pulse" || directory.hasPrefix("pulse-") { return true }
    let above = parts.dropLast().last
    return directory.hasSuffix("-runtime") && (above == "pulse" || above == ".pulse")
  }

  /// "pipewire-0", "pipewire-0-manager".
  private static func isPipeWire(_ name: Substring) -> Bool {
    guard name.hasPrefix("pipewire-") else { return false }
    let rest = name.dropFirst("pipewire-".count).drop { $0.isASCII && $0.isNumber }
    let digits = name.utf8.count - "pipewire-".utf8.count - rest.utf8.count
    return digits > 0 && (rest.isEmpty || rest == "-manager")
  }
}

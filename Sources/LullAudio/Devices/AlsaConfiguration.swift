internal import CAlsa

/// ALSA's configuration, read without opening a device.
package enum AlsaConfiguration {
  /// Definitions can name each other in a circle.
  private static let depth = 4

  /// The PulseAudio server behind a device, and the server's device; nil for another kind of device.
  static func pulse(_ device: String, capture: Bool) -> PulseAddress? {
    var top: OpaquePointer?
    guard unsafe snd_config_update_ref(&top) >= 0, let top = unsafe top else { return nil }
    defer { unsafe snd_config_unref(top) }
    var name = device
    for _ in 0..<depth {
      var found: OpaquePointer?
      guard unsafe snd_config_search_definition(top, "pcm", name, &found) >= 0, let found = unsafe found
      else {
        return nil
      }
      defer { unsafe snd_config_delete(found) }
      switch unsafe text(found, "type") {
      case "pulse": return unsafe PulseAddress(server: text(found, "server"), device: text(found, "device"))
      // PipeWire also answers the protocol of PulseAudio.
      case "pipewire": return PulseAddress()
      case "plug":
        guard let slave = unsafe text(found, "slave.pcm") ?? text(found, "slave") else { return nil }
        name = slave
      case "asym":
        let way = capture ? "capture" : "playback"
        guard let slave = unsafe text(found, "\(way).pcm") ?? text(found, way) else { return nil }
        name = slave
      default: return nil
      }
    }
    return nil
  }

  /// The file of the plugin behind the device `lull`: a path, or a name that ALSA looks up in its own folder;
  /// nil where the configuration has no such device.
  package static func plugin() -> String? {
    var top: OpaquePointer?
    guard unsafe snd_config_update_ref(&top) >= 0, let top = unsafe top else { return nil }
    defer { unsafe snd_config_unref(top) }
    guard unsafe text("type", of: "lull", among: "pcm", in: top) == "lull" else { return nil }
    let library = unsafe text("lib", of: "lull", among: "pcm_type", in: top)
    return library ?? "libasound_module_pcm_lull.so"
  }

  private static func text(
    _ key: String, of name: String, among kind: String, in top: OpaquePointer
  ) -> String? {
    var found: OpaquePointer?
    guard unsafe snd_config_search_definition(top, kind, name, &found) >= 0, let found = unsafe found
    else { return nil }
    defer { unsafe snd_config_delete(found) }
    return unsafe text(found, key)
  }

  private static func text(_ node: OpaquePointer, _ key: String) -> String? {
    var child: OpaquePointer?
    guard unsafe snd_config_search(node, key, &child) >= 0, let child = unsafe child else { return nil }
    var value: UnsafePointer<CChar>?
    guard unsafe snd_config_get_string(child, &value) >= 0, let value = unsafe value else { return nil }
    return unsafe String(cString: value)
  }
}

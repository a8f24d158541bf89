internal import CAlsa
internal import CPulse

/// A device of ALSA's configuration, or of the sound server.
package struct ListedDevice: Equatable, Sendable {
  /// As a session or a route takes it.
  package var name: String
  /// The description, on one text line.
  package var text: String
  package var plays: Bool
  package var captures: Bool
  /// The sound server plays on it, or captures from it, unless somebody says otherwise.
  package var isDefault = false

  package static func all() -> [ListedDevice] { ((try? served()) ?? []) + configured() }

  private static func served() throws(SinkError) -> [ListedDevice] {
    let server = try PulseConnection(PulseAddress(), within: 2_000_000_000)
    let usual = try server.list(CPULSE_SERVER).first
    let sinks = try server.list(CPULSE_SINKS).compactMap { sink in
      device(sink, plays: true, usual: usual?.name)
    }
    let sources = try server.list(CPULSE_SOURCES).compactMap { source in
      source.isMonitor ? nil : device(source, plays: false, usual: usual?.text)
    }
    return sinks + sources
  }

  private static func device(_ entry: PulseEntry, plays: Bool, usual: String?) -> ListedDevice? {
    entry.name.map { name in
      ListedDevice(
        name: PulseAddress(device: name).description, text: entry.text ?? "", plays: plays, captures: !plays,
        isDefault: name == usual)
    }
  }

  /// Lull's own device, and plugins that need arguments.
  private static let unusable = [
    "lull", "lavrate", "samplerate", "speexrate", "upmix", "vdownmix", "jack", "oss", "usbstream",
  ]

  private static func configured() -> [ListedDevice] {
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard unsafe snd_device_name_hint(-1, "pcm", &hints) == 0, let first = unsafe hints else { return [] }
    defer { unsafe snd_device_name_free_hint(first) }
    var devices: [ListedDevice] = []
    var place = unsafe first
    while let hint = unsafe place.pointee {
      if let name = unsafe word("NAME", hint), !unusable.contains(name) {
        let direction = unsafe word("IOID", hint)
        let text = unsafe word("DESC", hint)?.split(separator: "\n").joined(separator: ", ") ?? ""
        devices.append(
          ListedDevice(name: name, text: text, plays: direction != "Input", captures: direction != "Output"))
      }
      unsafe place += 1
    }
    return devices
  }

  private static func word(_ key: String, _ hint: UnsafeMutableRawPointer) -> String? {
    guard let word = unsafe snd_device_name_get_hint(hint, key) else { return nil }
    defer { unsafe free(word) }
    return unsafe String(cString: word)
  }
}

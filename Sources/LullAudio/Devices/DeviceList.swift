internal import CAlsa

/// A device of ALSA's configuration.
package struct ListedDevice: Equatable, Sendable {
  /// The name of the device.
  package var name: String
  /// The configuration's description of the device, on one text line.
  package var text: String
  /// True when the device plays.
  package var plays: Bool
  /// True when the device captures.
  package var captures: Bool

  /// All configured devices. The corresponding C functions are `snd_device_name_hint` and
  /// `snd_device_name_get_hint`.
  package static func all() -> [ListedDevice] {
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    guard unsafe snd_device_name_hint(-1, "pcm", &hints) == 0, let first = unsafe hints else { return [] }
    defer { unsafe snd_device_name_free_hint(first) }
    var devices: [ListedDevice] = []
    var place = unsafe first
    while let hint = unsafe place.pointee {
      if let name = unsafe word("NAME", hint) {
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

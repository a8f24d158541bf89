internal import CAlsa

/// A device of ALSA's configuration.
public struct ListedDevice: Equatable, Sendable {
  /// Its name.
  public var name: String
  /// What it is, in the configuration's words, on one line.
  public var text: String
  /// It plays.
  public var plays: Bool
  /// It captures.
  public var captures: Bool

  /// All that are configured. The corresponding C functions are `snd_device_name_hint` and
  /// `snd_device_name_get_hint`.
  public static func all() -> [ListedDevice] {
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

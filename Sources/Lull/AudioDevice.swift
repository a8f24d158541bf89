/// The device of a session.
public enum AudioDevice: Hashable, Sendable {
  /// The usual one.
  case `default`
  /// One by its name in ALSA's configuration, for example `hw:1`; `lull sound devices` lists them.
  case device(String)

  var name: String? { if case .device(let name) = self { name } else { nil } }
}

/// A session is on another device, or on none (Audio Session Programming Guide, "Responding to Route
/// Changes").
public struct AudioRouteChange: Hashable, Sendable {
  /// Why it changed.
  public enum Reason: Hashable, Sendable {
    /// Somebody asked for it.
    case override
    /// The device that it was on is gone or cannot be opened.
    case oldDeviceUnavailable
    /// The device that it is to be on is there, or there again.
    case newDeviceAvailable
  }

  /// The device that it is on; nil: none.
  public internal(set) var device: String?
  /// The device that it was on, where that is known.
  public internal(set) var previous: String?
  /// Why it changed.
  public internal(set) var reason: Reason
}

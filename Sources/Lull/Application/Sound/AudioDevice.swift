/// The device of an audio session.
public enum AudioDevice: Hashable, Sendable {
  /// The default device.
  case `default`
  /// A device by its name in ALSA's configuration, for example `hw:1`; `lull sound devices` lists them.
  case device(String)

  var name: String? { if case .device(let name) = self { name } else { nil } }
}

/// The change of an audio session to another device, or to none (Audio Session Programming Guide, "Responding
/// to Route Changes").
public struct AudioRouteChange: Hashable, Sendable {
  /// The reason of the change.
  public typealias Reason = RouteReason

  /// The new device; nil: none.
  public internal(set) var device: String?
  /// The previous device, where it is known.
  public internal(set) var previous: String?
  /// The reason of the change.
  public internal(set) var reason: Reason
}

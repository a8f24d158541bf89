/// A session plays on (captures from) another device.
public struct RouteReport: Equatable, Sendable {
  /// Why, in the words of the messages.
  public enum Reason: String, CaseIterable, Sendable {
    /// Somebody asked for it.
    case override
    /// The device that it was on is gone or cannot be opened.
    case oldDeviceUnavailable = "old-device-unavailable"
    /// The device that it is to be on is there again.
    case newDeviceAvailable = "new-device-available"
  }

  /// The session.
  public var session: UInt64
  /// The device that it was on.
  public var old: String
  /// The device that it is on.
  public var device: String
  /// Why it moved.
  public var reason: Reason

  /// A move of a session.
  public init(_ session: UInt64, from old: String, to device: String, _ reason: Reason) {
    (self.session, self.old, self.device, self.reason) = (session, old, device, reason)
  }
}

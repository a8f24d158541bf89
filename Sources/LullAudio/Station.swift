/// One device and the sessions on it: a ``Renderer`` or a ``Capturer``.
public protocol Station: AnyObject {
  /// What is on the device.
  associatedtype Session
  /// The sessions that are open.
  var sessions: [Session] { get }
  /// A new session; a pass should follow.
  func add(_ session: Session)
  /// The session is closed; a pass should follow.
  func remove(_ id: UInt64, now: Int64)
  /// A session that comes from another device is heard at once; a pass should follow.
  func join(_ session: Session, now: Int64)
  /// Lets a session go on elsewhere with the frame that follows the last one of this device; a pass should
  /// follow.
  func release(_ id: UInt64, now: Int64) -> Session?
  /// Another order for a session; a pass should follow.
  func order(_ id: UInt64, _ order: SessionOrder, now: Int64)
  /// Does what is due and returns when the next pass is; nil when nothing is until a session changes.
  func pass(now: Int64) -> Int64?
  /// Whether the session needs a device now.
  func needsDevice(_ id: UInt64) -> Bool
  /// Since when the device could not be opened though a session needs it.
  var missingSince: Int64? { get }
  /// How the device stands.
  var device: BoardDevice { get }
  /// Why the device could not be opened, in the library's words.
  var complaint: String { get }
}

extension Station {
  var isOpen: Bool { if case .open = device { true } else { false } }
}

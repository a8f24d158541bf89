/// One device and the sessions on it: a ``Renderer`` or a ``Capturer``.
package protocol Station: AnyObject {
  associatedtype Session
  var sessions: [Session] { get }
  /// Adds a session; a pass should follow.
  func add(_ session: Session)
  /// Removes a closed session; a pass should follow.
  func remove(_ id: UInt64, now: Int64)
  /// Adds a session that comes from another device and goes on at once; a pass should follow.
  func join(_ session: Session, now: Int64)
  /// Removes a session that goes on on another device with the frame that follows the last one of this
  /// device; a pass should follow.
  func release(_ id: UInt64, now: Int64) -> Session?
  func renumber(_ id: UInt64, to new: UInt64)
  /// Has a session go on as another opening of its ring, under the number of that, without a missing frame;
  /// false where it cannot. A pass should follow.
  func claim(_ id: UInt64, as request: SessionRequest, doorbell: Doorbell) -> Bool
  /// Gives a session another order; a pass should follow.
  func order(_ id: UInt64, _ order: AudioOrder, now: Int64)
  /// Runs a pass at `now` and returns the time of the next one; nil when none is due until a session changes.
  func pass(now: Int64) -> Int64?
  func needsDevice(_ id: UInt64) -> Bool
  /// The time since which the device could not be opened though a session needs it.
  var missingSince: Int64? { get }
  var device: BoardDevice { get }
  /// The library's text for the reason why the device could not be opened.
  var complaint: String { get }
}

extension Station {
  var isOpen: Bool { if case .open = device { true } else { false } }
}

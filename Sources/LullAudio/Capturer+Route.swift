// Sessions that go from one device to another.
extension Capturer: Station {
  /// A session that comes from another device.
  public func join(_ session: CaptureSession, now: Int64) { add(session) }

  /// The session is closed; a pass should follow.
  public func remove(_ id: UInt64, now: Int64) { remove(id) }

  /// Another order for a session; a pass should follow.
  public func order(_ id: UInt64, _ order: SessionOrder, now: Int64) { self.order(id, order) }

  /// Lets a session go on elsewhere, with everything that this device has captured.
  public func release(_ id: UInt64, now: Int64) -> CaptureSession? {
    guard let session = sessions.first(where: { $0.request.id == id }) else { return nil }
    readAll(now: now)
    remove(id)
    return session
  }

  /// Whether the session captures.
  public func needsDevice(_ id: UInt64) -> Bool {
    sessions.contains { $0.request.id == id && $0.isRunning }
  }

  /// How the device stands.
  public var device: BoardDevice {
    guard let source else { return missingSince == nil ? .closed : .none }
    return .open(source.format.device)
  }
}

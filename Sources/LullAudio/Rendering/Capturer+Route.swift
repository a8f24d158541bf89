// Sessions that go from one device to another.
extension Capturer: Station {
  /// Adds a session that comes from another device.
  package func join(_ session: CaptureSession, now: Int64) { add(session) }

  /// Removes a closed session; a pass should follow.
  package func remove(_ id: UInt64, now: Int64) { remove(id) }

  /// Gives a session another order; a pass should follow.
  package func order(_ id: UInt64, _ order: AudioOrder, now: Int64) { self.order(id, order) }

  /// Removes a session that goes on on another device, with everything that this device has captured.
  package func release(_ id: UInt64, now: Int64) -> CaptureSession? {
    guard let session = sessions.first(where: { $0.request.id == id }) else { return nil }
    readAll(now: now)
    remove(id)
    return session
  }

  /// Removes a session that goes on in another process, likewise, and has its ring point there.
  package func giveUp(_ id: UInt64, now: Int64) { release(id, now: now)?.publish(now: now) }

  /// True when the session captures.
  package func needsDevice(_ id: UInt64) -> Bool {
    sessions.contains { $0.request.id == id && $0.isRunning }
  }

  /// The state of the device.
  package var device: BoardDevice {
    guard let source else { return missingSince == nil ? .closed : .none }
    return .open(source.format.device)
  }
}

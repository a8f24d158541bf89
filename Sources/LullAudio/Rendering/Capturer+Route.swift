extension Capturer: Station {
  package func join(_ session: CaptureSession, now: Int64) { add(session) }

  package func remove(_ id: UInt64, now: Int64) { remove(id) }

  package func order(_ id: UInt64, _ order: AudioOrder, now: Int64) { self.order(id, order) }

  /// Removes a session that goes on on another device, with everything that this device has captured.
  package func release(_ id: UInt64, now: Int64) -> CaptureSession? {
    guard let session = sessions.first(where: { $0.request.id == id }) else { return nil }
    readAll(now: now)
    remove(id)
    return session
  }

  package func renumber(_ id: UInt64, to new: UInt64) {
    sessions.first { $0.request.id == id }?.renumber(to: new)
  }

  package func claim(_ id: UInt64, as request: SessionRequest, doorbell: Doorbell) -> Bool {
    guard let session = sessions.first(where: { $0.request.id == id }), session.canGoOn(as: request) else {
      return false
    }
    session.goOn(as: request, doorbell: doorbell)
    return true
  }

  package func needsDevice(_ id: UInt64) -> Bool {
    sessions.contains { $0.request.id == id && $0.isRunning }
  }

  package var device: BoardDevice {
    guard let source else { return missingSince == nil ? .closed : .none }
    return .open(source.format.device)
  }
}

// Sessions that go from one device to another.
extension Renderer: Station {
  /// A session that comes from another device is heard at once, and not behind what is queued of the others.
  public func join(_ session: PlaySession, now: Int64) {
    measure(now: now)
    if output.isRunning { takeBack(isShared: true) }
    add(session)
  }

  /// Lets a session go on elsewhere with the frame that is heard; what this device has of it comes back.
  public func release(_ id: UInt64, now: Int64) -> PlaySession? {
    measure(now: now)
    guard let session = sessions.first(where: { $0.request.id == id }) else { return nil }
    remove(id, now: now)
    session.envelope = Ramp(PlaySession.target(session.order))
    return session
  }

  /// Whether the session is to be heard.
  public func needsDevice(_ id: UInt64) -> Bool {
    sessions.contains { $0.request.id == id && $0.isRendering && !$0.isSpent(heard: output.heard) }
  }

  /// Since when the device could not be opened though a session is to be heard.
  public var missingSince: Int64? { output.missingSince }
}

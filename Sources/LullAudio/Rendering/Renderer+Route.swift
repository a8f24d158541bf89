extension Renderer: Station {
  /// The session plays at once, not behind the queued frames of others.
  package func join(_ session: PlaySession, now: Int64) {
    measure(now: now)
    if output.isRunning { takeBack(isShared: true) }
    add(session)
    guard let ear = session.ear else { return }
    // The pass of the other device may come first, and must know that the program plays.
    if session.hasBegun, session.order != .hold { ear.count(session) }
    if let former = session.former, former.sessions == 0 { ear.takeOver(former) }
    session.former = nil
  }

  /// Removes a session that goes on on another device with the next unplayed frame: its queued frames come
  /// back.
  package func release(_ id: UInt64, now: Int64) -> PlaySession? {
    measure(now: now)
    guard let session = sessions.first(where: { $0.request.id == id }) else { return nil }
    session.former = session.ear
    remove(id, now: now)
    session.endFade()
    return session
  }

  package func renumber(_ id: UInt64, to new: UInt64) {
    sessions.first { $0.request.id == id }?.renumber(to: new)
  }

  package func claim(_ id: UInt64, as request: SessionRequest, doorbell: Doorbell) -> Bool {
    guard let session = sessions.first(where: { $0.request.id == id }), let ear = session.ear,
      session.canGoOn(as: request), audience.claim(ear.hearing, for: request)
    else { return false }
    session.goOn(as: request, doorbell: doorbell)
    // Who claims it takes its device to be there.
    tellRouteAnew()
    return true
  }

  package func needsDevice(_ id: UInt64) -> Bool {
    sessions.contains { $0.request.id == id && $0.isRendering && !$0.isSpent(played: output.played) }
  }

  package var missingSince: Int64? { output.missingSince }
}

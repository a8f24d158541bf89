/// The audio focus: gathered from all programs before each program is told.
struct AudioScene: Sendable {
  private(set) var callers: [AppID] = []
  private(set) var duckers: [AppID] = []
  /// The program whose music is heard alone: the program in the foreground first, then the program that began
  /// last.
  private(set) var leader: AppID?
  private var leaderRank: (isForeground: Bool, began: UInt64) = (false, 0)

  mutating func add(_ app: App) {
    let isCalling = app.callLease != nil
    if isCalling { callers.append(app.id) }
    for playback in app.playbacks {
      guard case .wants(let began) = playback.focus, app.mayBeHeard(playback) else { continue }
      let isConversation = app.isConversation(playback.session)
      if playback.session.ducksOthers, isCalling || !isConversation { duckers.append(app.id) }
      guard !playback.session.mixes, !isConversation else { continue }
      let rank = (isForeground: app.state.isInForeground, began: began)
      let leads = rank.isForeground == leaderRank.isForeground ? began > leaderRank.began : rank.isForeground
      if leader == nil || leads { (leader, leaderRank) = (app.id, rank) }
    }
  }

  /// The ringtone of a call, the conversation of an unmanaged client, is quieter while another call goes on.
  func verdict(on playback: Playback, of app: App) -> (order: AudioOrder, loss: Playback.FocusLoss) {
    let session = playback.session
    guard !app.isDenied(playback) else { return (.deny, .background) }
    guard app.mayBeHeard(playback) else { return (.hold, .background) }
    guard session.direction == .play else { return (.play, .none) }
    guard !app.isConversation(session) else {
      let isBesideCall = callers.contains { $0 != app.id }
      return (app.registration.isUnmanaged && isBesideCall ? .duck : .play, .none)
    }
    if case .dismissed = playback.focus { return (.hold, leader == nil ? .dismissal : .music) }
    if !callers.isEmpty, !callers.contains(app.id) {
      return session.mixes ? (.duck, .none) : playback.isRunning ? (.hold, .call) : (.play, .none)
    }
    if playback.isRunning, !session.mixes, let leader, leader != app.id { return (.hold, .music) }
    return (duckers.contains { $0 != app.id } ? .duck : .play, .none)
  }
}

extension Engine {
  /// Decides the audio focus until nothing changes: a program that is woken for it may change the focus
  /// again.
  ///
  /// The program whose music is heard comes first. Music that goes on has a start grace, in which a silent
  /// conversation of the program is a call for the others; music that is dismissed cannot be called back.
  mutating func arrangeSound(_ turn: inout Turn) {
    var passes = LoopLimit(1000)
    while turn.rearrangesSound {
      guard passes.goesOn(nil, &turn) else { return }
      turn.rearrangesSound = false
      var scene = AudioScene()
      apps.forEach { scene.add($0) }
      if let leader = scene.leader { obey(scene, slot: Int(leader.slot), &turn) }
      guard !turn.rearrangesSound else { continue }
      for slot in 0..<apps.capacity { obey(scene, slot: slot, &turn) }
      arrangeCalls(scene, &turn)
      tellRecordings(&turn)
    }
  }

  private mutating func obey(_ scene: AudioScene, slot: Int, _ turn: inout Turn) {
    if apps.updateSlot(slot, { $0.obey(scene, &turn) }) == true { settle(slot, &turn) }
  }

  mutating func changeRoute(_ turn: inout Turn) {
    surroundings.changeRoute()
    turn.surroundings = surroundings
    for slot in 0..<apps.capacity { _ = apps.updateSlot(slot) { $0.routeChanged(&turn) } }
    tellSurroundings(&turn)
  }

  mutating func openSession(_ id: AppID, as session: SessionTraits, _ turn: inout Turn) -> Answer {
    let number = newSession()
    return spoken(id, &turn) { $0.openSession(number, as: session, &$1) } ?? .gone
  }
}

import LullEngine

/// A scheduled notification of a mortal world, which its body names.
final class MortalNotice {
  let body: String
  let due: Int64
  /// The wall clock, as it was when it was promised.
  fileprivate let wallOffset: Int64
  /// It is due by the wall clock, since the machine was started anew.
  fileprivate var isByWall = false
  fileprivate var isPromised = false
  fileprivate var shown = 0, heard = 0

  init(_ body: String, due: Int64, wallOffset: Int64) {
    (self.body, self.due, self.wallOffset) = (body, due, wallOffset)
  }
}

/// The rules that hold whichever process dies. Times are the world's, in nanoseconds.
final class MortalRules {
  private static let second: Int64 = 1_000_000_000

  private let policy: Policy
  private var violation: Violation?
  /// The last lives since the machine was started.
  var known: [MortalLife] = []
  /// The program of which the last daemon died.
  var blamed: MortalLife?
  /// The times that each rule came to its case; one that never does proves nothing.
  private(set) var sightings: [String: Int] = [:]
  private var quit: Set<String> = []
  /// The installed programs that are to come back, since then.
  private var owed: [String: Int64] = [:]
  /// The causes of a start that have come since a program was last started.
  private var causes: [String: [LaunchReason]] = [:]
  /// The next daemon starts what is installed.
  private var isToBoot = true
  /// The waits before the next starts, as they were noted last.
  private var waits: [String: InstalledEntry] = [:]
  private var unwatchedSince: Int64?
  private var runs: [String: Int64] = [:]
  private var sockets: [MortalSocket] = []
  private var notices: [MortalNotice] = []
  private var lastNotice = 0
  /// The ends from before the machine was started.
  private var oldEnds = 0

  init(_ policy: Policy) { self.policy = policy }

  private func sight(_ rule: String) { sightings[rule, default: 0] += 1 }

  private func require(_ holds: Bool, _ rule: String, _ what: @autoclosure () -> String) {
    guard !holds, violation == nil else { return }
    violation = Violation(rule: rule, what: what())
  }

  // MARK: Each step

  func evaluate(_ world: MortalWorld) throws(Violation) {
    watch(world)
    if world.steps % 64 == 0, let daemon = world.daemon, daemon.isSettled, let since = daemon.servingSince {
      audit(daemon, since: since, world)
    }
    if let violation { throw violation }
  }

  /// Each frozen program has a watcher: a lulld that knows it, or a process that is about to thaw it.
  private func watch(_ world: MortalWorld) {
    let daemon = world.daemon.flatMap { $0.isStopped ? nil : $0 }
    let isUnwatched = world.lives.contains { life in
      life.isFrozen && daemon?.managed(life.name)?.freeze == nil
    }
    let hasHand =
      world.isWithoutDaemon
      && (world.parents.contains { !$0.isStopped }
        || world.lives.contains { $0.role.kind == .library && $0.status == nil && $0.canAct })
    // A parent lets the guard go on.
    let hasParent =
      world.daemon == nil && world.guardian?.isStopped == true && world.parents.contains { !$0.isStopped }
    guard isUnwatched, daemon != nil || world.guardian?.isStopped == false || hasHand || hasParent else {
      return unwatchedSince = nil
    }
    let bound = Self.second / 2 + (hasParent ? MortalParent.patience : 0)
    if unwatchedSince == nil { sight("watched") }
    let since = unwatchedSince ?? world.now
    unwatchedSince = since
    require(world.now - since < bound, "watched", "something is frozen, and nobody watches it")
  }

  /// A process that was stopped has not had a turn yet.
  func goesOn() { unwatchedSince = nil }

  private func audit(_ daemon: MortalDaemon, since: Int64, _ world: MortalWorld) {
    let served = world.now - since
    auditEnds(daemon, served: served, world)
    for (name, moment) in owed.sorted(by: { $0.key < $1.key }) {
      let isHeld = world.parents.contains { $0.role.name == name && $0.isStopped }
      if isHeld { owed[name] = world.now }
      require(
        min(served, world.now - moment) < 200 * Self.second, "comes-back",
        "\(name) has not come back: \(daemon.engine.installed(name).map { "\($0.state)" } ?? "-")")
    }
    auditSockets(daemon, served: served, world)
    for notice in notices where notice.isPromised && notice.shown == 0 {
      require(
        min(served, world.now - notice.due) < 5 * Self.second, "shown-once", "\(notice.body) was never shown")
    }
    guard served > 5 * Self.second else { return }
    for life in world.lives where life.isRecorded && life.canAct && !life.isLeft {
      require(daemon.managed(life.name)?.life === life, "known", "\(life.name) runs, and is not known")
    }
  }

  // MARK: Ends

  private func auditEnds(_ daemon: MortalDaemon, served: Int64, _ world: MortalWorld) {
    let ends = daemon.ledger.ends
    let oldest = known.first { ends.count == LullEngine.Ledger.maximumEnds && $0.process == ends[0].process }
    for life in known where life.isOver && life.isRecorded && !life.isAudited {
      // The end may be forgotten before anybody looks.
      guard life.endedAt ?? 0 >= oldest?.endedAt ?? 0,
        min(served, world.now - (life.endedAt ?? 0)) > 5 * Self.second
      else { continue }
      sight("one-end")
      let told = ends.filter { $0.name == life.name && $0.process == life.process }
      require(told.count == 1, "one-end", "the end of \(life.name) is told \(told.count) times")
      if let reason = life.promisedReason, let end = told.first {
        let isTold = end.reason?.known == reason
        require(isTold, "one-end", "\(life.name) ended by \(reason), and \(end.reason?.text ?? "-") is told")
      }
      life.isAudited = true
    }
    guard world.steps % 512 == 0 else { return }
    require(ends.count { $0.process == nil } <= oldEnds, "one-end", "an end without a process is told")
    for end in ends {
      guard let process = end.process else { continue }
      require(known.contains { $0.process == process }, "one-end", "the end of nobody is told: \(end)")
    }
    if known.count > 400 { known.removeFirst(100) }
  }

  func ended(_ life: MortalLife, _ world: MortalWorld) {
    guard Policy.isFault(life.status ?? .unknown) else { return }
    causes(.crash, of: life.name)
    let isInstalled = world.roles.contains { $0.name == life.name && $0.isInstalled }
    let isOwed =
      life.isRecorded && !life.isGated && !life.isLeft && !life.isAsked && !quit.contains(life.name)
    if isInstalled, isOwed { owed[life.name] = world.now }
  }

  // MARK: Starts

  func asks(_ client: MortalClient) {
    let name = client.role.name
    if client.verb.reason == .user { startsByHand(client.role) }
    if client.verb == .quit { owed[name] = nil }
  }

  func startsByHand(_ role: MortalRole) {
    quit.remove(role.name)
    owed[role.name] = nil
  }

  func forgives(_ name: String) { owed[name] = nil }

  /// Something has come for which a program may be started.
  func causes(_ reason: LaunchReason, of name: String) { causes[name, default: []].append(reason) }

  /// The state of a program is noted. Its wait after a crash goes on under the next daemon, and neither ends
  /// nor begins anew.
  func waits(_ entry: InstalledEntry, _ world: MortalWorld) {
    defer { waits[entry.name] = entry }
    guard let old = waits[entry.name], let until = old.due, old.restarts == entry.restarts,
      old.cause == .crash, entry.cause == .crash, entry.state == .waiting
    else { return }
    sight("waits-on")
    require(
      entry.due.map { $0 <= until } ?? (world.boottime >= until), "waits-on",
      "the wait of \(entry.name) is not over, or begins anew")
  }

  func launches(_ role: MortalRole, for reason: LaunchReason) {
    sight("reason \(reason)")
    let isCause =
      reason == .keepalive && role.keepsAlive || reason == .fetch && role.fetches
      || causes[role.name, default: []].contains(reason)
    require(isCause, "reason", "\(role.name) is started for \(reason), which has not come")
  }

  func begins(_ life: MortalLife, _ world: MortalWorld, of parent: MortalParent? = nil) {
    let name = life.name
    world.note("runs", "\(name) \(parent?.reason.map { "\($0)" } ?? "")")
    // Nobody can know a process on the library before it registers.
    let others = world.lives.filter { other in
      other !== life && other.name == name && !other.isGated && !other.isOver
        && (other.isRecorded || other.role.kind != .library)
    }
    sight("started-once")
    require(others.isEmpty, "started-once", "\(name) is started, and runs already")
    // No quit is remembered of a program that is not installed.
    let isFreed = !life.role.isInstalled && parent?.reason?.isInBackground == false
    require(!quit.contains(name) || isFreed, "stays-quit", "\(name) was quit, and is started")
    if owed[name] != nil { sight("comes-back") }
    owed[name] = nil
    // Links and pushes that came during its start are told to it, or start it once more.
    if let reason = parent?.reason {
      var posts = causes[name, default: []].filter { $0 == .url || $0 == .push }
      if let told = posts.firstIndex(of: reason) { posts.remove(at: told) }
      causes[name] = posts
      // The client that restarts it has ended this life while it began.
      if world.clients.contains(where: { $0.isRestarting(name) }) { causes(.user, of: name) }
    }
    // A life that was started for another reason begins its own time-out.
    guard let parent, parent.reason == .keepalive else { return runs[name] = nil }
    // The start counts from when it was decided, unless the handler has run in it already.
    if let last = runs[name] {
      guard parent.since > last else { return }
      let gap = parent.since - last
      require(gap >= 600 * Self.second, "keepalive-gap", "\(name) is started after \(gap / Self.second) s")
    }
    runs[name] = parent.since
  }

  // MARK: Quits

  func answered(_ client: MortalClient, _ life: MortalLife?) {
    guard client.verb == .quit, client.role.isInstalled || life != nil else { return }
    sight("stays-quit")
    quit.insert(client.role.name)
    (owed[client.role.name], causes[client.role.name]) = (nil, nil)
    // The ledger has no word for the end of a program on the library.
    if let life, !life.isOver, life.role.kind != .library { life.promisedReason = .quit }
  }

  // MARK: Wakes and keep-alives

  func thawed(_ life: MortalLife, isCaused: Bool) {
    guard life.isAsleep else { return }
    life.isAsleep = false
    guard !isCaused else { return }
    sight("one-wake")
    require(life.mayWake, "one-wake", "\(life.name) is woken a second time for one death")
    life.mayWake = false
  }

  func keepAliveRuns(_ life: MortalLife, at moment: Int64) {
    if let last = life.lastRun {
      sight("keepalive-gap")
      let gap = moment - last
      require(gap >= 600 * Self.second, "keepalive-gap", "\(life.name) runs after \(gap / Self.second) s")
    }
    life.lastRun = moment
    runs[life.name] = moment
  }

  // MARK: Deaths

  func supervisorFails(_ world: MortalWorld) {
    for life in world.lives { life.mayWake = true }
    // A daemon has died that alone had them, or both have.
    guard world.daemon == nil else { return }
    for line in sockets where world.guardian?.has(line) != true { line.isKept = false }
  }

  func daemonBegins(_ daemon: MortalDaemon, _ world: MortalWorld) {
    // A later daemon starts the programs that wait for the boot when this one dies.
    let mayBoot = isToBoot || daemon.isToBoot != nil || !daemon.predecessor.isBooted
    for role in world.roles where mayBoot && role.isInstalled {
      causes(.boot, of: role.name)
      guard isToBoot else { continue }
      let runs = world.lives.contains { $0.name == role.name && !$0.isGated }
      let wasQuit = daemon.predecessor.installed(role.name)?.state == .quit
      if daemon.ledger.isBooted, !runs, !wasQuit { owed[role.name] = world.now }
    }
    isToBoot = false
    if let blamed {
      sight("poison")
      require(daemon.isAfterFault, "poison", "lulld has died of \(blamed.name), and the next one is not told")
      blamed.deaths += 1
      // Its first freeze may have been its first of all: then nobody is blamed yet.
      let most = policy.supervision.maximumDeaths + 1
      require(blamed.deaths <= most, "poison", "lulld has died of \(blamed.name) \(blamed.deaths) times")
    }
    blamed = nil
  }

  /// The daemon's end in good order is written.
  func daemonFinishes(_ daemon: MortalDaemon) {
    (owed, isToBoot) = ([:], true)
    let told = daemon.ledger.ends.compactMap(\.process)
    for name in causes.keys {
      let isTold = known.allSatisfy {
        $0.name != name || !$0.isOver || !$0.isRecorded || told.contains($0.process)
      }
      causes[name]?.removeAll { $0.isInBackground && (isTold || $0 != .crash) }
    }
  }

  func daemonLeaves(_ daemon: MortalDaemon, _ world: MortalWorld) {
    let endsPrograms = daemon.ending?.endsPrograms == true
    sight("good-order")
    for life in world.lives {
      require(!life.isFrozen, "good-order", "\(life.name) is left asleep")
      let isEnded = !endsPrograms || !life.isRecorded || life.isGated || life.isLeft
      require(isEnded, "good-order", "\(life.name) runs on, and was to end with lulld")
    }
    daemonFinishes(daemon)
  }

  func leaves(_ life: MortalLife) {
    life.isLeft = true
    require(life.role.poison != nil, "poison", "\(life.name) is left running, and is no poison")
  }

  func reboots(_ world: MortalWorld) {
    let ledger = world.files.predecessor.ledger
    (known, blamed, owed, runs, sockets, causes, isToBoot) = ([], nil, [:], [:], [], [:], true)
    waits = [:]
    oldEnds = ledger.ends.count
    quit = quit.filter { ledger.installed($0)?.state == .quit }
    // A change that the disk did not have yet is lost: the notification is shown no more, or once more.
    notices = notices.filter { notice in
      notice.isByWall = true
      return notice.wallOffset == world.wallOffset
        && ledger.notifications.contains {
          $0.content.body == notice.body && $0.isScheduled == (notice.shown == 0)
        }
    }
  }

  func clockIsSet() { notices.removeAll(where: \.isByWall) }

  // MARK: Kept lines

  func newSocket(_ name: String) -> MortalSocket {
    let socket = MortalSocket(name)
    sockets.append(socket)
    return socket
  }

  func drops(_ line: MortalSocket) { line.isKept = false }

  private func auditSockets(_ daemon: MortalDaemon, served: Int64, _ world: MortalWorld) {
    for line in sockets {
      let isHeld = world.lives.contains { life in life.sockets.contains { $0 === line } }
      let isKept = daemon.kept.contains { $0 === line }
      if line.isKept {
        sight("kept-lines")
        require(isKept || isHeld, "kept-lines", "a line of \(line.name) is lost")
      }
      guard isHeld, isKept || world.guardian?.has(line) == true else {
        line.isDoubleSince = nil
        continue
      }
      let since = line.isDoubleSince ?? world.now
      line.isDoubleSince = since
      require(
        min(served, world.now - since) < 30 * Self.second, "kept-lines",
        "a line of \(line.name) is kept twice")
    }
  }

  // MARK: Notifications

  func newNotice(after time: Int64, _ world: MortalWorld) -> MortalNotice {
    lastNotice += 1
    return MortalNotice("notice \(lastNotice)", due: world.now + time, wallOffset: world.wallOffset)
  }

  /// The program has its answer: the notification must not be lost.
  func promises(_ notice: MortalNotice) {
    notice.isPromised = true
    notices.append(notice)
  }

  func shows(_ content: LocalNotification) {
    guard let notice = notices.first(where: { $0.body == content.body }) else { return }
    sight("shown-once")
    notice.shown += 1
    if content.sound != nil { notice.heard += 1 }
    require(notice.heard <= 1, "shown-once", "\(notice.body) is shown a second time")
  }
}

import LullEngine

/// A mistake on purpose, by which a rule shows that it can fire.
enum MortalMistake: CaseIterable {
  case guardThawsNothing, forgetsPrograms, forgetsEnds, notesAnotherProcess, forgetsInstalled
  case startsNothingAgain, wakesTwice, forgetsKeepAlives, losesLines, neverDropsLines
  case forgetsShown, forgetsProgress, forgetsReasons, forgetsWaits, leavesTooEarly
  case leavesStopped
}

/// The processes of Lull on a machine, with the chance that each of them dies or stops between any two of its
/// deeds. The daemons have the engine and the ledger of lulld; all around them is made up.
final class MortalWorld {
  enum Death { case killed, byFault, inGoodOrder, forUpgrade }

  private enum Actor {
    case daemon, guardian, disk, people
    case parent(MortalParent)
    case life(MortalLife)
    case client(MortalClient)
  }

  let policy: Policy
  let roles: [MortalRole]
  let mistake: MortalMistake?
  var chance: Chance
  var files = MortalFiles()
  let rules: MortalRules
  private(set) var now: Int64 = 0
  private var bootedAt: Int64 = 0
  private(set) var wallOffset: Int64 = 1_700_000_000_000_000_000
  private(set) var daemon: MortalDaemon?
  private(set) var guardian: MortalGuard?
  private(set) var lastDeath = Death.killed
  private(set) var lostAt: Int64 = 0
  private(set) var lives: [MortalLife] = []
  private(set) var parents: [MortalParent] = []
  private(set) var clients: [MortalClient] = []
  private(set) var trace = MortalTrace()
  private(set) var steps = 0
  private var daemons = 0, processes: Int32 = 0
  private var peopleAt: Int64 = 0
  private let faults: Int
  let pace: Int64
  private var ready: [Actor] = []
  /// The trace has the records and the deeds of daemons, too.
  private let isDetailed: Bool

  init(seed: UInt64, mistake: MortalMistake? = nil, isDetailed: Bool = false) {
    self.isDetailed = isDetailed
    var chance = Chance(seed: seed)
    var policy = Policy()
    (policy.crashWaitLast, policy.fetchMinimum) = (.seconds(60), .seconds(300))
    (roles, faults) = (Self.roles(&chance, mistake), chance.pick([2, 5, 15, 40]))
    pace = chance.pick([1, 1, 4, 10])
    (self.policy, self.chance, self.mistake) = (policy, chance, mistake)
    rules = MortalRules(policy)
  }

  private static func roles(_ chance: inout Chance, _ mistake: MortalMistake?) -> [MortalRole] {
    (0..<(3 + chance.below(4))).map { number in
      let kind = chance.pick([MortalRole.Kind.library, .run, .keeper, .keeper])
      var role = MortalRole(name: "p\(number)", kind: kind)
      role.isInstalled = kind == .keeper && chance.happens(600) || chance.happens(100)
      // The ledger does not know the runs of an installed program on the library that was started by hand.
      role.keepsAlive = !(kind == .library && role.isInstalled) && chance.happens(400)
      role.fetches = kind == .keeper && role.isInstalled && chance.happens(400)
      role.hasSocket = kind == .keeper && chance.happens(600)
      if kind != .library, chance.happens(mistake == .forgetsProgress ? 500 : 60) {
        role.poison = chance.pick([.taking, .trying])
      }
      return role
    }
  }

  // MARK: Clocks

  var boottime: Int64 { now - bootedAt + 1_000_000_000 }
  var wall: Int64 { now + wallOffset }

  // MARK: The run

  func run(steps count: Int) throws(Violation) {
    for _ in 0..<count {
      steps += 1
      if chance.happens(faults) { strike() }
      act()
      try rules.evaluate(self)
    }
  }

  private func act() {
    ready.removeAll(keepingCapacity: true)
    var next = now + 60_000_000_000
    func consider(_ actor: Actor, _ moment: Int64) {
      if moment <= now { ready.append(actor) } else { next = min(next, moment) }
    }
    consider(.people, peopleAt)
    if let daemon { consider(.daemon, daemon.next()) }
    if let guardian { consider(.guardian, guardian.next(self)) }
    consider(.disk, files.next)
    for parent in parents { consider(.parent(parent), parent.next(self)) }
    for life in lives { consider(.life(life), life.next(self)) }
    for client in clients { consider(.client(client), client.next(self)) }
    for moment in [daemon?.continuesAt, guardian?.continuesAt].compactMap(\.self) { next = min(next, moment) }
    guard !ready.isEmpty else {
      now = next
      return goOn()
    }
    now += 1_000 + Int64(chance.below(200_000))
    perform(ready[chance.below(ready.count)])
  }

  private func perform(_ actor: Actor) {
    switch actor {
    case .daemon: daemon?.step()
    case .guardian: guardian?.step(self)
    case .disk: files.write(&chance, at: now)
    case .people: meetPeople()
    case .parent(let parent):
      parent.step(self)
      if parent.stage == .over { parents.removeAll { $0 === parent } }
    case .life(let life):
      life.step(self)
      if life.isOver { bury(life) }
    case .client(let client):
      client.step(self)
      if client.isDone { clients.removeAll { $0 === client } }
    }
  }

  /// The processes whose stop is over go on.
  private func goOn() {
    let goes = [daemon?.continuesAt, guardian?.continuesAt].map { $0 ?? .max <= now }
    if goes[0] { daemon?.continuesAt = nil }
    if goes[1] { guardian?.continuesAt = nil }
    if goes != [false, false] { rules.goesOn() }
  }

  func continueBoth(unless mistake: MortalMistake? = nil) {
    guard daemon?.isStopped == true || guardian?.isStopped == true, mistake == nil || self.mistake != mistake
    else { return }
    daemon?.continuesAt = nil
    guardian?.continuesAt = nil
    rules.goesOn()
  }

  func note(_ what: StaticString, _ name: String = "") {
    trace.add(step: steps, now: now, what, name)
  }

  func detail(_ what: StaticString, _ value: @autoclosure () -> String) {
    if isDetailed { note(what, value()) }
  }

  // MARK: People

  private func meetPeople() {
    peopleAt = now + pace * Int64(chance.below(20_000_000_000))
    let role = chance.pick(roles)
    for life in lives where life.isAsleep && chance.happens(300) { life.hasData = true }
    if let line = daemon?.kept.first, chance.happens(100) { daemon?.socketIsReady(line) }
    // Two clients that want different things of a program have no right answer.
    guard !clients.contains(where: { $0.role.name == role.name }) else { return }
    let runs = lives.contains { $0.name == role.name && !$0.isOver }
    let isOnItsWay = parents.contains { $0.role.name == role.name }
    // A program with a keep-alive or fetches is left alone: nothing else is to start it.
    if !runs, !isOnItsWay, chance.happens(role.keepsAlive || role.fetches ? 150 : 700) {
      guard role.isInstalled else { return startByHand(role) }
      // Nobody starts by hand what the daemon may be about to start.
      let state = serving?.engine.installed(role.name)?.state
      let isAtRest = state == .ended || state == .quit
      if role.kind != .library { return add(MortalClient(.start, role)) }
      return isAtRest && chance.happens(500) ? startByHand(role) : add(MortalClient(.start, role))
    }
    guard chance.happens(250) else { return }
    let verb = chance.pick(MortalClient.Verb.allCases + [.quit, .restart, .restartKeepingLines])
    add(MortalClient(verb, role))
  }

  private func add(_ client: MortalClient) {
    note("client", "\(client.verb) \(client.role.name)")
    rules.asks(client)
    clients.append(client)
  }

  /// A person starts a program that is not installed; a program on the library needs nobody.
  func startByHand(_ role: MortalRole) {
    rules.startsByHand(role)
    guard role.kind == .library else { return _ = add(MortalParent(role, nil, at: boottime)) }
    let life = spawn(role, isGated: false)
    rules.begins(life, self)
  }

  // MARK: Processes

  func spawn(_ role: MortalRole, isGated: Bool) -> MortalLife {
    processes += 1
    let process = ProcessIdentity(pid: 100 + processes % 40, start: UInt64(boottime / 10_000_000) + 1)
    let life = MortalLife(
      role, process, isGated: isGated, since: boottime,
      actsAt: now + pace * Int64(chance.below(30_000_000_000)))
    lives.append(life)
    rules.known.append(life)
    note("spawned", role.name)
    return life
  }

  /// Starts the parent of a command; false when a keeper of that name lives.
  @discardableResult
  func add(_ parent: MortalParent) -> Bool {
    if parent.role.kind == .keeper, parents.contains(where: { $0.role.name == parent.role.name }) {
      return false
    }
    note("parent", parent.role.name)
    parents.append(parent)
    return true
  }

  func life(_ process: ProcessIdentity) -> MortalLife? { lives.first { $0.process == process } }

  func end(_ life: MortalLife, _ status: ExitStatus, all: Bool) {
    guard !life.isOver else { return }
    note("ends", "\(life.name) \(status) \(all)")
    life.end(status, all: all, at: now)
    bury(life)
  }

  private func bury(_ life: MortalLife) {
    guard life.isOver else { return }
    lives.removeAll { $0 === life }
    rules.ended(life, self)
  }

  /// Lets a sleeper run; nothing outside has caused it unless `isCaused`.
  func thaw(_ life: MortalLife, isCaused: Bool) {
    guard life.isFrozen else { return }
    (life.isFrozen, life.hasData) = (false, false)
    rules.thawed(life, isCaused: isCaused)
  }

  func thawAll(unless mistake: MortalMistake? = nil) {
    guard mistake == nil || self.mistake != mistake else { return }
    for life in lives { thaw(life, isCaused: false) }
  }

  // MARK: The daemon and its guard

  var serving: MortalDaemon? { daemon?.isServing == true ? daemon : nil }

  func startGuard(boots: Bool) {
    guard guardian == nil, daemon == nil else { return }
    note("guard begins")
    // The guard before this one alone knew of the fault.
    rules.blamed = nil
    guardian = MortalGuard(guarding: nil, keeping: [], boots: boots, at: now)
  }

  /// The daemon replaces a guard that is gone, or that gives way to another one, which has its lines.
  func replaceGuard(keeping lines: [MortalSocket] = []) {
    note("guard replaced")
    guardian = MortalGuard(guarding: daemon?.number, keeping: lines, boots: nil, at: now)
  }

  func startDaemon(isAfterFault: Bool, isToBoot: Bool?) -> MortalDaemon {
    daemons += 1
    note("lulld begins", isAfterFault ? "after a fault" : "")
    let daemon = MortalDaemon(self, number: daemons, isAfterFault: isAfterFault, isToBoot: isToBoot)
    self.daemon = daemon
    return daemon
  }

  func daemonDies(_ death: Death, of life: MortalLife? = nil) {
    guard daemon != nil else { return }
    note("lulld dies", "\(death) \(life?.name ?? "")")
    daemon = nil
    files.stopWriting()
    (lastDeath, lostAt) = (death, now)
    // The kernel continues a child whose parent dies.
    if guardian?.isChild == true { continueBoth(unless: .leavesStopped) }
    rules.supervisorFails(self)
    // A daemon that is killed before it has begun leaves the blame to the next one.
    if death == .byFault { rules.blamed = life }
  }

  func guardLeaves() {
    note("guard leaves")
    if guardian?.isChild == false { continueBoth(unless: .leavesStopped) }
    guardian = nil
    rules.supervisorFails(self)
  }

  // MARK: Faults

  private func strike() {
    let later = now + Int64(chance.below(20_000_000_000))
    switch chance.weighted([8, 5, 3, 4, 3, 3, 3, 6, 3, 1, 2, 3, 3], total: 47) {
    case 0: killDaemon()
    case 1: if guardian != nil { guardLeaves() }
    case 2:
      killDaemon()
      if guardian != nil { guardLeaves() }
    case 3:
      note("lulld stops")
      daemon?.continuesAt = later
      rules.supervisorFails(self)
    case 4:
      note("guard stops")
      guardian?.continuesAt = later
      rules.supervisorFails(self)
    case 5: if !parents.isEmpty { kill(chance.pick(parents)) }
    case 6: if !parents.isEmpty { chance.pick(parents).continuesAt = later }
    case 7: if !lives.isEmpty { end(chance.pick(lives), .signaled(9), all: true) }
    case 8: if !lives.isEmpty { end(chance.pick(lives), .signaled(11), all: false) }
    case 9: if chance.happens(200) { reboot() }
    case 10:
      let hours = Int64(chance.below(48)) - 24
      wallOffset += hours * 3_600_000_000_000
      rules.clockIsSet()
      note("wall clock is set", "\(hours)")
    case 11: if !clients.isEmpty { clients.remove(at: chance.below(clients.count)) }
    default: files.isFull = chance.happens(300)
    }
  }

  /// Also in the midst of a write.
  private func killDaemon() {
    guard let daemon else { return }
    daemon.tear()
    daemonDies(.killed)
  }

  func kill(_ parent: MortalParent) {
    note("parent dies", parent.role.name)
    parents.removeAll { $0 === parent }
    if let life = parent.life, life.isGated { end(life, .exited(1), all: true) }
    daemon?.parentDied(parent)
  }

  private func reboot() {
    note("reboot")
    (daemon, guardian, parents, clients) = (nil, nil, [], [])
    files.reboot()
    lives = []
    bootedAt = now
    lastDeath = .killed
    rules.reboots(self)
  }
}

struct MortalTrace {
  private var entries: [(step: Int, now: Int64, what: StaticString, name: String)] = []

  mutating func add(step: Int, now: Int64, _ what: StaticString, _ name: String) {
    entries.append((step, now, what, name))
  }

  /// The last steps, oldest first.
  func text(_ count: Int) -> String {
    entries.suffix(count).map { "\($0.step) at \(Double($0.now / 1000) / 1e6): \($0.what) \($0.name)" }
      .joined(separator: "\n").replacing("LullModel.", with: "").replacing("LullEngine.", with: "")
      .replacing("LullSimulationTests.", with: "")
  }
}

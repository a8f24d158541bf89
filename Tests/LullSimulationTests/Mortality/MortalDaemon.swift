import LullEngine

/// lulld: the engine and the ledger, with as little of its own as can be. It does one thing in a step, so
/// that it can die between any two: the records of a turn are written, then each of its deeds is done.
final class MortalDaemon {
  enum GuardNews {
    case begin, thawed
    case socket(MortalSocket)
  }

  enum News {
    case register(MortalLife)
    case schedule(MortalLife)
    case started(MortalParent)
    case attach(MortalParent)
    case client(MortalClient)
    /// What has to be done once all deeds before it are.
    case end(MortalClient, MortalLife)

    func isSaid(by life: MortalLife) -> Bool {
      if case .schedule(let other) = self { other === life } else { false }
    }
  }

  enum Deed {
    case effect(Effect)
    case takeBack(ProgramEntry, MortalLife)
    case freeze(AppID, Ticket)
    case open(MortalParent)
    case refuse(MortalParent)
    case tell(MortalParent)
    case answer(MortalClient, promise: MortalLife?)
    case guardian(MortalGuard.News)
    case promise(MortalNotice)
    case changeGuard
    case leave(MortalWorld.Death)
  }

  final class Managed {
    let id: AppID
    let life: MortalLife
    var since: Int64
    var ranAt: Int64?
    var fetchedAt: Int64?
    var endWord: EndReason?
    var exit: EndEntry?
    var line: LineID?
    /// The freeze that is under way or has come about.
    var freeze: Ticket?
    /// Its first freeze since it was taken back is still to come.
    var isUntried = false
    var wokeFor: WakeReason?
    var says: [(at: Int64, event: Event)] = []

    init(_ id: AppID, _ life: MortalLife, since: Int64) {
      (self.id, self.life, self.since) = (id, life, since)
    }
  }

  enum Phase: Equatable { case reading, taking(Int), awaiting, installing(Int), serving }

  unowned let world: MortalWorld
  let number: Int
  private let clockBase: Int64
  var ledger = LullEngine.Ledger()
  var table: [Managed] = []
  var servingSince: Int64?
  var fromGuard: [GuardNews] = []
  var continuesAt: Int64?
  /// The lines that are kept, and those of them of which something has come.
  var kept: [MortalSocket] = []
  var engine: Engine
  var left: [MortalLife] = []
  /// Programs on the library that are to register again.
  var awaited: [MortalLife] = []
  var quitters: [MortalClient] = []
  /// The launches that have not come to a registration.
  var underWay: [MortalParent] = []
  var restarting: [String] = []
  var ending: (client: MortalClient, endsPrograms: Bool)?
  var predecessor = LullEngine.Ledger()
  let isAfterFault: Bool
  /// Set for the first daemon of a guard: whether it starts the installed programs.
  let isToBoot: Bool?
  var phase = Phase.reading
  var unwritten: [LedgerRecord] = []
  var deeds: [Deed] = []
  var events: [Event] = []
  var inbox: [News] = []
  var trying: AppID?
  var later: [(id: AppID, ticket: Ticket)] = []
  var wallOffset: Int64 = 0

  init(_ world: MortalWorld, number: Int, isAfterFault: Bool, isToBoot: Bool?) {
    (self.world, self.number, self.isAfterFault, self.isToBoot) = (world, number, isAfterFault, isToBoot)
    clockBase = world.boottime - 500_000_000
    engine = Engine(policy: world.policy)
  }

  var isStopped: Bool { continuesAt != nil }
  var isServing: Bool { hearsPrograms && ending == nil }
  var hearsPrograms: Bool { phase == .serving }
  var isSettled: Bool { isServing && !isStopped && next() > world.now }
  var mayFinish: Bool {
    guard let ending else { return false }
    return !ending.endsPrograms || table.isEmpty && awaited.isEmpty || world.mistake == .leavesTooEarly
  }
  var moment: Moment { moment(atBoottime: world.boottime) }

  func hear(_ news: News) { inbox.append(news) }

  func managed(_ id: AppID) -> Managed? { table.first { $0.id == id } }
  func managed(_ name: String) -> Managed? { table.first { $0.life.name == name } }

  // MARK: Steps

  func next() -> Int64 {
    guard !isStopped else { return .max }
    if !unwritten.isEmpty || !deeds.isEmpty { return world.now }
    switch phase {
    case .reading, .taking, .installing: return world.now
    case .awaiting: return hasNews ? world.now : .max
    case .serving:
      if hasNews || !inbox.isEmpty || mayFinish { return world.now }
    }
    let limits = table.flatMap { $0.life.isFrozen ? [] : $0.says.map(\.at) }
    return ([engine.deadline.map(boottime(at:))].compactMap(\.self) + limits)
      .reduce(.max) { min($0, $1 - world.boottime + world.now) }
  }

  func step() {
    if !unwritten.isEmpty { return write(unwritten.count) }
    if !deeds.isEmpty { return perform(deeds.removeFirst()) }
    switch phase {
    case .reading: read()
    case .taking(let place): take(place)
    case .awaiting: _ = takeNews()
    case .installing(let place): install(place)
    case .serving:
      if takeNews() { return }
      if mayFinish { return finish() }
      guard inbox.isEmpty else { return answer(inbox.removeFirst()) }
      feed(.tick)
    }
  }

  func write(_ count: Int) {
    let written = unwritten.prefix(count)
    world.files.append(written)
    for case .program(let entry) in written { world.life(entry.process)?.isRecorded = true }
    for case .installed(let entry) in written { world.rules.waits(entry, world) }
    if written.contains(.finished) { world.rules.daemonFinishes(self) }
    unwritten = []
    world.files.wantLasting(ledger.lastingSnapshot { name in self.kept.contains { $0.name == name } })
  }

  /// It dies in the midst of a write: some of the records are in the file.
  func tear() {
    guard !unwritten.isEmpty else { return }
    write(world.chance.below(unwritten.count + 1))
  }

  /// Takes a record, which is written before the next deed.
  func record(_ record: LedgerRecord) {
    guard ledger.apply(record), !world.loses(record) else { return }
    world.detail("record", "\(record)")
    unwritten.append(record)
    // An end without a status is a crash.
    if case .ended(let end) = record, end.status == .unknown { world.rules.causes(.crash, of: end.name) }
  }

  func plan(_ deed: Deed) { deeds.append(deed) }

  // MARK: News of the kernel and of the guard

  var hasNews: Bool {
    if !events.isEmpty || !fromGuard.isEmpty || wallOffset != world.wallOffset || isAlone { return true }
    return table.contains { isNew($0) || isSaying($0) }
      || left.contains(where: \.isOver) || awaited.contains(where: \.isOver)
      || underWay.contains { $0.stage == .over }
  }

  var isAlone: Bool { world.guardian == nil && ending == nil }

  func isNew(_ program: Managed) -> Bool {
    let life = program.life
    if life.status != nil, program.exit == nil || life.isOver { return true }
    return life.isAsleep && life.hasData && program.line != nil
  }

  func isSaying(_ program: Managed) -> Bool {
    !program.life.isFrozen && program.says.contains { $0.at <= world.boottime }
  }

  /// Takes one piece of news; false when there is none.
  func takeNews() -> Bool {
    if !events.isEmpty {
      proceed(events.removeFirst())
    } else if !fromGuard.isEmpty {
      hear(fromGuard.removeFirst())
    } else if wallOffset != world.wallOffset {
      setClock()
    } else if isAlone {
      replaceGuard()
    } else if let program = table.first(where: isNew) {
      note(program)
    } else if let life = (left + awaited).first(where: \.isOver) {
      record(.ended(end(of: life)))
      if awaited.contains(where: { $0 === life }) { comesBackNoMore(life.name) }
      left.removeAll { $0 === life }
      awaited.removeAll { $0 === life }
      askAgain()
    } else if let place = underWay.firstIndex(where: { $0.stage == .over }) {
      _ = ask(.launchFailed(program: underWay.remove(at: place).role.name))
    } else if let program = table.first(where: isSaying),
      let place = program.says.firstIndex(where: { $0.at <= world.boottime })
    {
      feed(program.says.remove(at: place).event)
    } else {
      return false
    }
    return true
  }

  func hear(_ news: GuardNews) {
    switch news {
    case .begin:
      guard phase == .awaiting else { return }
      phase = .installing(0)
      if world.mistake == .wakesTwice { world.mistakeWakesAll() }
    case .thawed:
      for program in table where program.freeze != nil { feed(.unfrozen(program.id)) }
    case .socket(let line):
      kept.append(line)
      guard let program = managed(line.name) else { return feed(.linesWait(line.name, after: .restart)) }
      // The program is to end for its lines, or has had them back before its daemon could say so.
      if program.endWord != .restarted { drop(line.name) }
    }
  }

  func setClock() {
    wallOffset = world.wallOffset
    feed(.wallClock(offset: world.wall - moment.nanoseconds))
  }

  func replaceGuard() {
    world.replaceGuard()
    let lines = kept.map { Deed.guardian(.keep($0)) }
    for deed in [.guardian(.anew)] + lines + [.guardian(.told)] { plan(deed) }
  }

  /// Takes note of the end of a first process, and of the last one, or of data for a sleeper.
  func note(_ program: Managed) {
    let life = program.life
    guard life.status != nil else {
      if let line = program.line { feed(.ready(program.id, line, .data)) }
      life.hasData = false
      return
    }
    let end = program.exit ?? self.end(of: life, as: program.endWord)
    if program.exit == nil, let parent = world.parents.first(where: { $0.life === life }) {
      plan(.tell(parent))
    }
    program.exit = end
    guard life.isOver else {
      record(.exited(end))
      return feed(.childEnded(program.id))
    }
    record(.ended(end))
    feed(.exited(program.id, life.status ?? .unknown))
  }

  func end(of life: MortalLife, as word: EndReason? = nil) -> EndEntry {
    let status = life.status ?? .unknown
    return EndEntry(
      name: life.name, at: world.wall, process: life.process, status: status,
      reason: (word ?? EndReason(status)).map { OpenWord($0) })
  }
}

/// The engine's clock begins with the daemon.
extension MortalDaemon: LedgerClock {
  func boottime(at moment: Moment) -> Int64 { moment.nanoseconds + clockBase }
  func moment(atBoottime nanoseconds: Int64) -> Moment { Moment(nanoseconds: nanoseconds - clockBase) }
  var boottimeNow: Int64 { world.boottime }
  var wallNow: Int64 { world.wall }
}

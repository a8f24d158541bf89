import LullEngine
import LullInspect
import LullSystem
import LullWire

extension KeptLines {
  /// With `keeps` the lines wait for the next start, which somebody may be about to make.
  func ended(_ program: Program, keeps: Bool) {
    declared.forget(program.id)
    stopLooking(at: program.id)
    let own = entries.filter { $0.record.program == program.name }
    guard keeps else { return drop(own, of: program.name) }
    guard !own.isEmpty || program.leavesLines else { return }
    let ending = program.endingWithLines
    guard ending != nil || !(program.leavesLines || own.contains(where: \.isUnproven)) else {
      return letGo(own, of: program)
    }
    tell(.linesWait(program.name, after: .init(ending)))
    for entry in own {
      entry.record.ending = ending
      // A life that got the line back has had it: the line is kept anew.
      if case .started = entry.state { entry.record.isWaiting = false }
      wait(entry)
    }
    note("lines-kept", of: program.name, own.map(\.description.text).joined(separator: ", "))
  }

  /// A command has crashed as soon as it had its lines, or has left them alone: it does not take them over,
  /// and each of its lives would find its ports in use. It is started once without them.
  private func letGo(_ own: [KeptEntry], of program: Program) {
    let name = program.name
    let why: Explanation.Word = program.leavesLines ? .lineUntaken : .lineCrashed
    if !program.leavesLines { untaken.add(name, Self.named(own)) }
    for entry in own {
      note("kept-line-closed", of: name, Explanation(why, name: name, text: entry.description.text).line)
      remove(entry)
    }
    tell(.linesWait(name, after: .letGo))
  }

  func ready(_ id: LineID, _ readiness: Readiness) {
    guard let entry = entries.first(where: { $0.record.id == id }), case .waiting = entry.state else {
      return
    }
    if !readiness.isDisjoint(with: [.readHangUp, .hangUp, .error]) {
      note("kept-line-lost", of: entry.record.program, Explanation(.linePeerGone, text: entry.text).line)
    }
    tell(.linesReady(entry.record.program))
  }

  /// From here on the lines belong to whoever starts the program.
  func hand(_ name: String) -> [KeptLine] {
    let own = entries.filter { $0.record.program == name && $0.isOffered }
    for entry in own {
      unwatch(entry)
      entry.state = .handed(until: Clock.boottime() + policy.stagingTime.nanoseconds)
    }
    return own.map(\.record)
  }

  func descriptor(of id: LineID, _ name: String) -> DescriptorBox? {
    entries.first { $0.record.id == id && $0.record.program == name && $0.isOffered }?.descriptor
  }

  /// A line that the starter did not ask for does not become the program's own.
  func started(_ program: Program) {
    let own = entries.filter { $0.record.program == program.name }
    untaken.started(program.name, withLines: !own.isEmpty)
    // A program that was started without the lines that were let go is not launched for them any more.
    guard !own.isEmpty else { return tell(.linesTaken(program.name)) }
    let now = Clock.boottime()
    for entry in own {
      switch entry.state {
      case .handed:
        entry.state = .started(until: now + entry.provingTime(policy))
        entry.isUnproven = entry.record.purpose == nil
        // The end of this life will be another one, also when the next daemon learns of it.
        guard entry.record.ending != nil else { continue }
        entry.record.ending = nil
        changed(entry)
      case .waiting:
        note(
          "kept-line-closed", of: program.name,
          Explanation(.lineOtherStart, text: entry.description.text).line)
        remove(entry)
      case .standby, .parting, .orphaned, .started: break
      }
    }
    settle(program.name)
    let unproven = own.filter(\.isUnproven)
    guard !unproven.isEmpty else { return }
    note(JournalWord.linesGiven.rawValue, of: program.name, Self.named(unproven))
    beginLooking(at: program)
  }

  // MARK: Another daemon

  /// `isRunning`: the line's program was taken back; `hasEnded`: it has ended since, and its lines are kept.
  func restore(_ record: KeptLine, _ descriptor: DescriptorBox, isRunning: Bool, hasEnded: Bool = false) {
    lastNumber = max(lastNumber, record.id.number)
    descriptor.closer = closer
    guard let identity = journal.ignoring([], try FileIdentity.of(descriptor.raw)) else { return }
    let copy = LineCopy(
      line: nil, descriptor: descriptor, identity: identity, description: Socket.describe(descriptor.raw))
    let now = Clock.boottime()
    let entry = KeptEntry(record, copy, as: .orphaned(until: now + policy.keptTakingTime.nanoseconds))
    insert(entry)
    guard record.isWaiting || hasEnded else { return }
    if !record.isWaiting { note("lines-kept", of: record.program, entry.description.text) }
    if isRunning {
      entry.state = .started(until: now + entry.provingTime(policy))
    } else {
      tell(.linesWait(record.program, after: .init(record.ending)))
      wait(entry)
    }
  }

  /// The line's command seems to go on: the line is left to it alone once it has lived for a while.
  func letsGoSoon(_ id: LineID) {
    let until = Clock.boottime() + policy.keptLivingTime.nanoseconds
    entries.first { $0.record.id == id }?.state = .orphaned(until: until)
  }

  /// True while somebody is about to start a program with its lines; `isLeft`: nothing else starts one of
  /// that name.
  func areToBeTaken(isLeft: (String) -> Bool) -> Bool {
    entries.contains { entry in
      guard entry.record.ending == .restart else { return false }
      switch entry.state {
      case .parting, .handed: return true
      case .waiting: return isLeft(entry.record.program)
      case .standby, .orphaned, .started: return false
      }
    }
  }

  // MARK: Time

  /// On CLOCK_BOOTTIME.
  private var now: Moment { Moment(nanoseconds: Clock.boottime()) }

  var deadline: Int64? {
    let limits = entries.compactMap { entry -> Int64? in
      switch entry.state {
      case .orphaned(let until), .handed(let until), .started(let until): until
      case .standby, .parting, .waiting: nil
      }
    }
    return (limits + takings.map(\.nextLook).filter { $0 != .never }.map(\.nanoseconds)).min()
  }

  func timeIsUp(isRunning: (String) -> Bool) {
    let moment = Clock.boottime()
    for entry in entries {
      switch entry.state {
      case .handed(let until) where until <= moment: wait(entry)
      case .started(let until) where until <= moment: overdue(entry)
      case .orphaned(let until) where until <= moment:
        // A program that does not run either has died together with the daemon before.
        if isRunning(entry.record.program) {
          leaveToProgram(entry)
        } else {
          note("lines-kept", of: entry.record.program, entry.description.text)
          tell(.linesWait(entry.record.program, after: .alone))
          wait(entry)
        }
      case .standby, .parting, .orphaned, .waiting, .handed, .started: break
      }
    }
  }

  /// The name that the line has among those that the program gets, and the line in words.
  func readable(of program: String) -> (name: String, text: String)? {
    let own = entries.filter { $0.record.program == program && $0.isOffered }
    let ready = zip(own, KeptLine.names(own.map(\.record))).first { $0.0.isReadable }
    return ready.map { ($1, $0.text) }
  }

  private func overdue(_ entry: KeptEntry) {
    let name = entry.record.program
    guard !isLookedAt(name) else {
      entry.state = .started(until: (now + policy.keptLookTime).nanoseconds)
      return
    }
    if entry.record.purpose != nil {
      note(
        "kept-line-closed", of: name,
        Explanation(.lineUntaken, name: name, text: entry.description.text).line)
    }
    leaveToProgram(entry)
    settle(name)
  }

  /// Nothing more is held than what a sleeper waits for.
  private func leaveToProgram(_ entry: KeptEntry) {
    guard let sleeper = entry.sleeper else { return remove(entry) }
    (entry.state, entry.sleeper) = (.standby(sleeper, nil), nil)
    entry.record.isWaiting = false
    changed(entry)
  }

  // MARK: Taking

  struct Taking {
    let program: AppID
    let name: String
    fileprivate var rule: LineTaking
    var nextLook: Moment { rule.nextLook }
  }

  private func beginLooking(at program: Program) {
    takings.removeAll { $0.name == program.name }
    takings.append(Taking(program: program.id, name: program.name, rule: LineTaking(at: now, policy)))
  }

  func stopLooking(at id: AppID, areTaken: Bool = false) {
    guard let index = takings.firstIndex(where: { $0.program == id }) else { return }
    let name = takings.remove(at: index).name
    guard areTaken else { return }
    let own = entries.filter { $0.record.program == name && $0.awaitsProgram }
    journal.note(
      program: name, what: JournalWord.linesTaken.rawValue, detail: own.isEmpty ? nil : Self.named(own))
  }

  /// True until it is decided that the program takes its lines. A program that does not take them is looked
  /// at until it has ended.
  func isLookedAt(_ name: String) -> Bool { takings.contains { $0.name == name } }

  func dueForLook() -> [AppID] { takings.filter { $0.nextLook <= now }.map(\.program) }

  func saw(_ look: TakingLook, at id: AppID) -> Bool {
    guard let index = takings.firstIndex(where: { $0.program == id }) else { return false }
    let name = takings[index].name
    let own = entries.filter { $0.record.program == name && $0.record.purpose == nil && $0.awaitsProgram }
    let others = look.sockets.filter { socket in !own.contains { $0.identity == socket.identity } }
    let lines = own.map { $0.line(in: look, others.map(\.description)) }
    switch takings[index].rule.saw(lines, isIdle: look.isIdle, at: now) {
    case .undecided: return false
    case .taken:
      stopLooking(at: id, areTaken: true)
      return false
    case .untaken(let left):
      let named = Self.named(own.filter { left.contains($0.record.id) })
      untaken.add(name, named)
      note(EndReason.linesUntaken.rawValue, of: name, named)
      return true
    }
  }
}

extension KeptEnding {
  fileprivate init(_ ending: KeptLine.Ending?) {
    switch ending {
    case .restart: self = .restart
    case .purge: self = .purge
    case nil: self = .alone
    }
  }
}

struct TakingLook {
  var awaitedInodes: Set<UInt64> = []
  /// Duplicates of its sockets.
  var sockets: [LineCopy] = []
  /// Each of its threads waits, and all of its waits were read.
  var isIdle = true
}

extension KeptEntry {
  /// `others`: the program's sockets that it did not get back.
  fileprivate func line(in look: TakingLook, _ others: [LineDescription]) -> LineTaking.Line {
    let takesPeers = description.isListening || description.kind == .udp
    let hasRival = others.contains {
      $0.kind == description.kind && $0.isListening == description.isListening && $0.peer.isEmpty
        && !$0.local.isEmpty && $0.local == description.local
    }
    // Who serves one peer after the other need not wait for the next one.
    let hasAccepted =
      !hasRival && description.isListening && others.contains { !$0.isListening && isPlace(of: $0) }
    return LineTaking.Line(
      record.id, takesPeers: takesPeers && description.peer.isEmpty,
      isUsed: hasAccepted || look.awaitedInodes.contains(identity.inode), isReadable: isReadable,
      hasRival: takesPeers && hasRival)
  }

  /// True for a connection that has come on the listening line: it has its port, or the path of its socket.
  private func isPlace(of connection: LineDescription) -> Bool {
    switch description.kind {
    case .tcpListen: connection.kind == .tcp && connection.localPort == description.localPort
    default: connection.kind == description.kind && connection.local == description.local
    }
  }
}

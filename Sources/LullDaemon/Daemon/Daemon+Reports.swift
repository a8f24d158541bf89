import LullEngine
import LullGuard
import LullInspect
import LullSystem
import LullWire

extension Daemon {
  func status(_ name: String?, all: Bool, _ client: Client) -> Reply? {
    let daemon = [daemonItem] + guardItems + sound.audio.deviceItems
    var ended = all ? endItems(of: name ?? ownName(client)) : []
    if all { ended += kept.lines.items(of: name ?? ownName(client)) }
    if let name, !ended.isEmpty, engine.find(name: name) == nil {
      return answer(Report(daemon + ended), client)
    }
    let first: [Report.Section] = [.messages(daemon[...]), .messages(ended[...])]
    return report(name, client: client, first: first, detail: .everything)
  }

  private func ownName(_ client: Client) -> String? {
    client.role.program.flatMap(program)?.name
  }

  func lines(_ name: String?, detail: Report.LineDetail, client: Client) -> Reply? {
    if case .members = detail, !control.hasRoomForMembers {
      return .error(.busy, .init(.answersUntaken, count: ControlServer.maximumMemberLists))
    }
    let kept = kept.lines.items(of: name ?? ownName(client))
    if let name, !kept.isEmpty, engine.find(name: name) == nil { return answer(Report(kept), client) }
    return report(name, client: client, first: [.messages(kept[...])], detail: .lines(detail))
  }

  private func report(
    _ name: String?, client: Client, first: [Report.Section], detail: Report.ProgramDetail
  ) -> Reply? {
    if let name {
      guard let id = engine.find(name: name) else { return noSuchProgram(name) }
      return answer(Report(first + [detail.section(of: id)]), client)
    }
    guard case .program(let own) = client.role else {
      return answer(Report(first + [.programs(from: 0, detail)]), client)
    }
    return answer(Report(first + [detail.section(of: own)]), client)
  }

  private var daemonItem: Message {
    DaemonItem {
      $0.pid = Int64(Identity.pid())
      ($0.version, $0.clockRate) = (DaemonOptions.version, Double(clock.rate))
      $0.restarts = Int64(options.restarts)
      ($0.isQuiet, $0.isLocked) = (desktop.isQuiet, engine.isLocked)
      $0.guardPid = guardianship.isWatching ? guardianship.pid.map { Int64($0) } : nil
      ($0.since, $0.startedBy) = (options.service.since.map { Double($0) }, OpenWord(options.service.starter))
      ($0.suspender, $0.cgroupRoot) = (OpenWord(suspenders.word), suspenders.root)
      $0.watchdogSeconds = options.service.watchdogSeconds
    }
    .message
  }

  private var guardItems: [Message] {
    (guardianship.notes() + notesOnLeft + journalNotes).map(\.message)
  }

  private var journalNotes: [NoteItem] {
    services.journalFile.takeProgress(journal)
    return services.journalFile.failure.map { [NoteItem(.journalUnwritten, detail: $0)] } ?? []
  }

  func programItems(_ view: AppView, _ program: Program) -> [Message] {
    let settings = view.registration.settings
    let processes = pids(of: program)
    let managed: Vocabulary.Management? =
      program.isUnmanaged ? nil : program.isCommand ? .command : .library
    var item = ProgramItem {
      ($0.name, $0.state, $0.modes) = (program.name, OpenWord(view.state), settings.modes.words)
      // A text line has no room for more; of a program with more the first ones are shown.
      $0.pids = processes.prefix(64).map { Int64($0) }
      $0.cgroup = program.cgroupPath ?? ""
      ($0.asleepSeconds, $0.awakeSeconds) = (view.asleep.seconds, view.awake.seconds)
      ($0.wakes, $0.isOverBudget) = (Int64(view.wakes), view.isOverBudget)
      $0.managed = managed.map { OpenWord($0) }
      let adoption = program.command?.adoption
      ($0.adopts, $0.origin) = (adoption.map { OpenWord($0.kind) }, adoption?.origin)
      $0.isDryRun = program.suspender.isDryRun
      ($0.silenceSeconds, $0.isPurgeable) = (settings.silence?.seconds, engine.mayBePurged(program.id))
    }
    memory.note(of: view, program, processes, in: &item)
    var items = [item.message] + view.leaseItems(program.name, at: now)
    items += view.keepAliveItems(program.name, at: now) + view.timerItems(program.name, at: now)
    return items + sound.audio.items(of: program.id, program.name) + wakeItems(view, program)
      + purgeItems(of: program) + sleepItems(view, program) + tallies.items(of: program)
  }

  private func wakeItems(_ view: AppView, _ program: Program) -> [Message] {
    guard let wake = view.lastWake else { return earlierWake(program) }
    let facts = sources.wake(of: program.id)
    let item = WakeItem {
      ($0.program, $0.reason) = (program.name, OpenWord(wake.reason))
      $0.line = wake.line.map { UInt64($0.number) }
      $0.waitedMicroseconds = facts.waitedMicroseconds.map { Int64($0) }
      ($0.agoSeconds, $0.peer) = ((now - wake.moment).seconds, wake.line == nil ? nil : facts.peer)
    }
    return [item.message]
  }

  private func earlierWake(_ program: Program) -> [Message] {
    guard let entry = journal.last([Journal.Entry.wake], of: program.name), let reason = entry.cause else {
      return []
    }
    let item = WakeItem {
      ($0.program, $0.reason, $0.peer) = (program.name, OpenWord(reason), entry.peer)
      $0.waitedMicroseconds = entry.waitedMicroseconds.map { Int64($0) }
      $0.agoSeconds = age(of: entry).seconds
    }
    return [item.message]
  }

  private func age(of entry: Journal.Entry) -> Interval {
    clock.interval(max(0, Clock.realtime() - entry.at))
  }

  func lineItems(_ lines: [ShownLine], _ program: Program) -> [Message] {
    // Making a view of a program with thousands of lines takes long; most have no rule.
    let answersProbes = program.command?.answersProbes == true
    let isOffloaded = answersProbes || lines.contains { !$0.offload.isEmpty }
    let views = isOffloaded ? engine.program(program.id, at: now)?.lines ?? [] : []
    return lines.map { line in
      let rules = line.offload.words
      let item = LineItem(of: program.name, id: line.id, line.description) {
        if line.isSet { $0.kind = OpenWord(.set) }
        $0.connections = line.connections.map { Int64($0) }
        $0.unread = line.unread.map { Int64($0) }
        if !rules.isEmpty { $0.offload = rules }
        if !rules.isEmpty || answersProbes && line.description.kind == .tcpListen {
          $0.answered = views.first { $0.id == line.id }.map { Int64($0.answered) }
        }
        ($0.pid, $0.fd) = (line.place.map { Int64($0.pid) }, line.place.map { Int64($0.number) })
        $0.isDisregarded = line.isDisregarded
      }
      return item.message
    }
  }

  func alarm() -> Message {
    let on: Vocabulary.Choice = deadlines.wakesMachine ? .yes : .no
    let next = engine.resume
    return Message(.ok).adding(.on, on.rawValue).adding(.name, next?.program)
      .adding(.reason, next?.reason.rawValue).adding(.dueInSeconds, next.map { ($0.moment - now).seconds })
  }

  func why(_ name: String, _ client: Client) -> Reply? {
    guard let id = engine.find(name: name) else { return whyEnded(name, client) }
    return answer(Report([.why(id, told: 0)]), client)
  }

  private func whyEnded(_ name: String, _ client: Client) -> Reply? {
    if let note = healthNote(onLeft: name) { return answer(Report([note.message]), client) }
    installed.noteInstalled(name)
    let items = endItems(of: name).prefix(1) + installed.items(of: name)
    guard !items.isEmpty else { return noSuchProgram(name) }
    let notes = [kept.lines.healthNote(on: name), kept.lines.untaken.healthNote(on: name)].compactMap(\.self)
    return answer(Report(items + messages(notes, on: name)), client)
  }

  func whyItems(_ view: AppView, _ program: Program) -> [Message] {
    var items = view.leaseItems(program.name, at: now) + view.timerItems(program.name, at: now)
    items += sound.audio.items(of: program.id, program.name) + wakeItems(view, program)
    items += sleepItems(view, program)
    if let launch = journal.last([Journal.Entry.launch], of: program.name) {
      items.append(launch.item.message)
    }
    let cutOff = view.cutOffPause.flatMap(view.registration.healthNote(onPause:))
    let own = [
      guardThaw(view), cutOff, crashes(of: program.name), view.fetchNote(at: now), tracerNote(on: program),
      frozenElsewhere(program), memory.boundNote(program),
    ].compactMap(\.self)
    let notes = own + view.recordingNotes + state(view, program)
    return items + messages(notes, on: program.name)
  }

  private func messages(_ notes: [NoteItem], on name: String) -> [Message] {
    notes.map { note in
      var note = note
      note.program = name
      return note.message
    }
  }

  private func purgeItems(of program: Program) -> [Message] {
    let purges = journal.entries(Journal.Entry.purge, of: program.name)
    guard let last = purges.last else { return [] }
    let item = PurgeItem {
      ($0.program, $0.count, $0.agoSeconds) = (program.name, Int64(purges.count), age(of: last).seconds)
    }
    return [item.message]
  }

  private func sleepItems(_ view: AppView, _ program: Program) -> [Message] {
    let earlier = view.lastSleep == nil ? journal.last([Journal.Entry.sleep], of: program.name) : nil
    guard view.lastSleep != nil || view.lastRefusal != nil || earlier != nil else { return [] }
    let item = SleepItem {
      $0.program = program.name
      $0.agoSeconds = view.lastSleep.map { (now - $0).seconds } ?? earlier.map { age(of: $0).seconds }
      $0.refused = view.lastRefusal.map { OpenWord($0) }
      $0.detail = view.lastRefusal == nil ? nil : detailText(view.lastDetail, of: program)
    }
    return [item.message]
  }

  private func guardThaw(_ view: AppView) -> NoteItem? {
    guard let wake = view.lastWake, [.unfrozen, .operator].contains(wake.reason),
      let entry = journal.lastOwn(Journal.Entry.guardThaw)
    else { return nil }
    // lulld may notice the thaw in a turn before the one in which it hears of it.
    let apart = (age(of: entry) - (now - wake.moment)).nanoseconds.magnitude
    return apart < 2_000_000_000 * UInt64(clock.rate) ? NoteItem(.guardThawed) : nil
  }

  private func tracerNote(on program: Program) -> NoteItem? {
    guard let tracer = tracer(of: program) else { return nil }
    var note = NoteItem(.traced, detail: journal.ignoring(.gone, try Process.commandName(of: tracer)))
    note.pid = Int64(tracer)
    return note
  }

  private func frozenElsewhere(_ program: Program) -> NoteItem? {
    guard case .cgroup(let cgroup) = program.suspender,
      journal.ignoring(.removed, try cgroup.isFreezeAsked()) == false,
      journal.ignoring(.removed, try cgroup.state())?.frozen == true
    else { return nil }
    return NoteItem(.frozenElsewhere)
  }

  private func crashes(of name: String) -> NoteItem? {
    guard let program = engine.installed(name), program.crashes > 0 else { return nil }
    var note = NoteItem(program.state == .failed ? .notStarted : .crashed)
    note.count = Int64(program.crashes)
    return note
  }

  /// The troubles of a program, or else the reason why it stays awake.
  private func state(_ view: AppView, _ program: Program) -> [NoteItem] {
    let troubles = notes.items(of: program.id)
    guard troubles.isEmpty else { return troubles }
    guard !program.isUnmanaged else { return [NoteItem(.unmanaged)] }
    let reason = view.registration.reasonToStayAwake(
      in: view.state, isOverBudget: view.isOverBudget, policy)
    return [reason ?? view.reasonToWait(at: now)].compactMap(\.self)
  }

  // MARK: lull doctor

  func doctor(_ client: Client) -> Reply? {
    let (root, lack) = (suspenders.root, suspenders.lack)
    let own = [
      DaemonCheckItem(
        "freezer", root == nil ? .limited : .yes, cause: lack?.cause.rawValue, detail: root ?? lack?.detail),
      DaemonCheckItem("alarm-timer", deadlines.wakesMachine ? .yes : .limited),
    ]
    return answer(Report((own + features.flatMap(\.checks)).map(\.message)), client)
  }

  // MARK: The records of an answer

  /// A program that is gone leaves no rest.
  func records(of section: Report.Section, atMost step: Int) -> ([Message], rest: [Report.Section]) {
    switch section {
    case .messages(let messages):
      guard messages.count > 1 else { return (Array(messages), []) }
      return ([messages[messages.startIndex]], [.messages(messages.dropFirst())])
    case .programs(let slot, let detail):
      guard let program = programs.first(fromSlot: slot) else { return ([], []) }
      return ([], [detail.section(of: program.id), .programs(from: Int(program.id.slot) + 1, detail)])
    case .program(let id, let told):
      guard let view = engine.program(id, at: now), let program = program(id) else { return ([], []) }
      let items = programItems(view, program).dropFirst(told)
      let isAll = items.count <= step
      let rest: Report.Section = isAll ? .lines(id, after: 0, .sums) : .program(id, told: told + step)
      return (Array(items.prefix(step)), [rest])
    case .why(let id, let told):
      guard let view = engine.program(id, at: now), let program = program(id) else { return ([], []) }
      let items = whyItems(view, program).dropFirst(told)
      return (Array(items.prefix(step)), items.count <= step ? [] : [.why(id, told: told + step)])
    case .lines(let id, let last, let detail): return lines(of: id, after: last, detail, atMost: step)
    case .members(let id, let line, let numbers): return members(of: id, line, numbers, atMost: step)
    case .notifications(let places):
      guard !places.isEmpty else { return ([], []) }
      let views = engine.notifications
      // A program that is gone meanwhile is left out.
      let found = places.prefix(step).compactMap { place in
        views.first { $0.id == place.id && ($0.fires != nil) == place.isScheduled }
      }
      return (found.map { desktop.notificationItem($0).message }, [.notifications(places.dropFirst(step))])
    case .entries(let numbers, let filter):
      guard !numbers.isEmpty else { return ([], []) }
      // Entries that were overwritten meanwhile are left out.
      let entries = numbers.prefix(step).compactMap { journal[$0] }.filter(filter.lets)
      return (
        entries.map(\.item.message), [.entries(numbers.dropFirst(step), filter)]
      )
    }
  }

  private func lines(
    of id: AppID, after last: UInt32, _ detail: Report.LineDetail, atMost step: Int
  ) -> ([Message], rest: [Report.Section]) {
    let endsAtSet = detail == .members
    guard let program = program(id),
      let page = sources.page(of: id, after: LineID(last), atMost: step, endsAtSet: endsAtSet)
    else { return ([], []) }
    // A set is followed by its members, so it ends the page.
    let items = lineItems(page.views, program)
    let rest = Report.Section.lines(id, after: page.last.number, detail)
    guard !page.members.isEmpty else { return (items, [rest]) }
    return (items, [.members(id, page.last, page.members[...]), rest])
  }

  private func members(
    of id: AppID, _ line: LineID, _ numbers: ArraySlice<Int32>, atMost step: Int
  ) -> ([Message], rest: [Report.Section]) {
    guard !numbers.isEmpty, let program = program(id) else { return ([], []) }
    let items = numbers.prefix(step).compactMap { sources.member($0, of: line, id)?.item(of: program) }
    return (items, [.members(id, line, numbers.dropFirst(step))])
  }
}

import LullEngine
import LullGuard
import LullInspect
import LullSystem
import LullWire

extension Daemon {
  func status(_ name: String?, all: Bool, _ client: Client) -> Reply? {
    let daemon = [daemonItem] + guardItems + sound.deviceItems
    var ended = all ? endItems(of: name ?? ownName(client)) : []
    if all { ended += keptLineItems(of: name ?? ownName(client)) }
    if let name, !ended.isEmpty, host.engine.find(name: name) == nil {
      return answer(Report(daemon + ended), client)
    }
    let first: [Report.Part] = [.messages(daemon[...]), .messages(ended[...])]
    return report(name, client: client, first: first, detail: .everything)
  }

  /// The program of which alone a client may hear; nil for an operator.
  private func ownName(_ client: Client) -> String? {
    guard case .program(let id) = client.role else { return nil }
    return program(id)?.name
  }

  func lines(_ name: String?, detail: Report.LineDetail, client: Client) -> Reply? {
    if case .members = detail, !control.hasRoomForMembers {
      let most = ControlServer.maximumMemberLists
      return .error(
        code: .busy, message: "\(most) answers to `lines all` are not taken yet; try again later")
    }
    let kept = keptLineItems(of: name ?? ownName(client))
    if let name, !kept.isEmpty, host.engine.find(name: name) == nil { return answer(Report(kept), client) }
    return report(name, client: client, first: [.messages(kept[...])], detail: .lines(detail))
  }

  private func report(
    _ name: String?, client: Client, first: [Report.Part], detail: Report.ProgramDetail
  ) -> Reply? {
    if let name {
      guard let id = host.engine.find(name: name) else { return noSuchProgram(name) }
      return answer(Report(first + [detail.part(of: id)]), client)
    }
    guard case .program(let own) = client.role else {
      return answer(Report(first + [.programs(from: 0, detail)]), client)
    }
    return answer(Report(first + [detail.part(of: own)]), client)
  }

  var isQuiet: Bool { ledger.ledger.isQuiet || presenter.isInhibited }

  private var daemonItem: Message {
    Message(item: .daemon).adding(.pid, Identity.pid()).adding(.version, DaemonOptions.version)
      .adding(.clockRate, clock.rate).adding(.suspender, suspenders.word.rawValue)
      .adding(.restarts, options.restarts).adding(flag: .quiet, if: isQuiet)
      .adding(flag: .locked, if: host.engine.isLocked)
      .adding(.guardPid, guardianship.isWatching ? guardianship.pid : nil)
      .adding(.since, options.service.since).adding(.startedBy, options.service.starter.rawValue)
      .adding(.cgroup, suspenders.root).adding(.watchdog, options.service.watchdogSeconds)
  }

  private var guardItems: [Message] {
    (guardianship.remarks() + remarksOnLeft + journalRemarks).map { Message(item: .remark).adding(.text, $0) }
  }

  private var journalRemarks: [String] {
    journalFile.takeProgress(journal)
    return journalFile.failure.map { ["the journal is kept in memory alone: \($0)"] } ?? []
  }

  func programItems(_ view: AppView, _ program: Program) -> [Message] {
    var item = Message(item: .program).adding(.name, program.name).adding(.state, view.state.rawValue)
    let processes = pids(of: program)
    // A text line has no room for more; of a program with more the first ones are shown.
    item = item.adding(.modes, list: view.registration.settings.modes.words).adding(
      .pids, list: processes.prefix(64).map { "\($0)" })
    item = item.adding(.cgroup, program.cgroupPath ?? "")
    item = item.adding(.asleepSeconds, view.asleep.seconds).adding(.awakeSeconds, view.awake.seconds)
    item = item.adding(.wakes, view.wakes)
    let managed: Vocabulary.Management? =
      program.isUnmanaged ? nil : program.isCommand ? .command : .library
    item = item.adding(.managed, managed?.rawValue).adding(flag: .overBudget, if: view.isOverBudget)
      .adding(.silence, view.registration.settings.silence)
      .adding(flag: .purgeable, if: host.engine.mayBePurged(program.id))
    item = addCare(of: view, program, processes, to: item)
    var items = [item] + view.leaseItems(program.name, at: now)
    items += view.keepAliveItems(program.name, at: now) + view.timerItems(program.name, at: now)
    return items + sound.items(of: program.id, program.name) + wakeItems(view, program)
      + purgeItems(of: program) + sleepItems(view, program)
  }

  func pids(of program: Program) -> [Int32] {
    journal.ignoring(.gone, try program.suspender.processes()) ?? []
  }

  private func wakeItems(_ view: AppView, _ program: Program) -> [Message] {
    guard let wake = view.lastWake else { return earlierWake(program) }
    let facts = sources.wake(of: program.id)
    return [
      Message(item: .wake).adding(.program, program.name).adding(.reason, wake.reason.rawValue)
        .adding(.line, wake.line?.number).adding(.waitedMicroseconds, facts.waitedMicroseconds)
        .adding(.agoSeconds, (now - wake.moment).seconds)
        .adding(.peer, wake.line == nil ? nil : facts.peer)
    ]
  }

  private func earlierWake(_ program: Program) -> [Message] {
    guard let entry = journal.last([Journal.Entry.wake], of: program.name), let reason = entry.cause else {
      return []
    }
    return [
      Message(item: .wake).adding(.program, program.name).adding(.reason, reason)
        .adding(.waitedMicroseconds, entry.waitedMicroseconds)
        .adding(.agoSeconds, age(of: entry)).adding(.peer, entry.peer)
    ]
  }

  /// The time since an entry, on the engine's clock.
  private func age(of entry: Journal.Entry) -> Interval {
    clock.interval(max(0, Clock.realtime() - entry.at))
  }

  func lineItems(_ lines: [LineView], _ program: Program) -> [Message] {
    // Making a view of a program with thousands of lines takes long; most have no rule.
    let isOffloaded = lines.contains { !$0.offload.isEmpty }
    let views = isOffloaded ? host.engine.program(program.id, at: now)?.lines ?? [] : []
    return lines.map { line in
      let rules = line.offload.words
      let kind = line.isSet ? LineKind.set : line.description.kind
      return Message(item: .line).adding(.program, program.name).adding(.id, line.id.number)
        .adding(.line, kind.rawValue).adding(.connections, line.connections)
        .adding(.local, line.description.local).adding(.peer, line.description.peer)
        .adding(.unread, line.unread).adding(.offload, list: rules.isEmpty ? nil : rules)
        .adding(.answered, rules.isEmpty ? nil : views.first { $0.id == line.id }?.answered)
        .adding(.pid, line.place?.pid).adding(.fd, line.place?.number)
        .adding(flag: .disregarded, if: line.isDisregarded)
    }
  }

  func alarm() -> Message {
    let on: Vocabulary.Choice = deadlines.wakesMachine ? .yes : .no
    let next = host.engine.resume
    return Message(.ok).adding(.on, on.rawValue).adding(.name, next?.program)
      .adding(.reason, next?.reason.rawValue).adding(.dueInSeconds, next.map { ($0.moment - now).seconds })
  }

  func why(_ name: String, _ client: Client) -> Reply? {
    guard let id = host.engine.find(name: name) else { return whyEnded(name, client) }
    return answer(Report([.why(id, told: 0)]), client)
  }

  private func whyEnded(_ name: String, _ client: Client) -> Reply? {
    if let text = remark(onLeft: name) {
      return answer(Report([Message(item: .remark).adding(.program, name).adding(.text, text)]), client)
    }
    noteInstalled(name)
    let ended = Array(endItems(of: name).prefix(1))
    var items = ended + (engine.installed(name).map { whyInstalled($0, hasRun: !ended.isEmpty) } ?? [])
    guard !items.isEmpty else { return noSuchProgram(name) }
    items += [keptLines.text(of: name), keptLines.untaken.text(of: name)].compactMap(\.self).map {
      Message(item: .remark).adding(.program, name).adding(.text, $0)
    }
    return answer(Report(items), client)
  }

  func whyItems(_ view: AppView, _ program: Program) -> [Message] {
    var items = view.leaseItems(program.name, at: now) + view.timerItems(program.name, at: now)
    items += sound.items(of: program.id, program.name) + wakeItems(view, program)
    items += sleepItems(view, program)
    if let launch = journal.last([Journal.Entry.launch], of: program.name) {
      items.append(launch.adding(to: Message(item: .entry)))
    }
    return items
      + (guardThaw(view) + pause(view) + told(view, program)).map {
        Message(item: .remark).adding(.program, program.name).adding(.text, $0)
      }
  }

  /// The purges of earlier programs of that name.
  private func purgeItems(of program: Program) -> [Message] {
    let purges = journal.entries(Journal.Entry.purge, of: program.name)
    guard let last = purges.last else { return [] }
    return [
      Message(item: .purge).adding(.program, program.name).adding(.count, purges.count)
        .adding(.agoSeconds, age(of: last))
    ]
  }

  private func sleepItems(_ view: AppView, _ program: Program) -> [Message] {
    let earlier = view.lastSleep == nil ? journal.last([Journal.Entry.sleep], of: program.name) : nil
    guard view.lastSleep != nil || view.lastRefusal != nil || earlier != nil else { return [] }
    return [
      Message(item: .sleep).adding(.program, program.name)
        .adding(.agoSeconds, view.lastSleep.map { (now - $0).seconds } ?? earlier.map { age(of: $0).seconds })
        .adding(.refused, view.lastRefusal?.rawValue)
        .adding(.detail, view.lastRefusal == nil ? nil : text(of: view.lastDetail, program))
    ]
  }

  private func guardThaw(_ view: AppView) -> [String] {
    guard let wake = view.lastWake, [.unfrozen, .operator].contains(wake.reason),
      let entry = journal.lastOwn(Journal.Entry.guardThaw)
    else { return [] }
    // lulld may notice the thaw in a turn before the one in which it hears of it.
    let apart = (age(of: entry) - (now - wake.moment)).nanoseconds.magnitude
    guard apart < 2_000_000_000 * UInt64(clock.rate) else { return [] }
    return ["it was lull-guard: lulld stood still, so every program was let go on"]
  }

  private func pause(_ view: AppView) -> [String] {
    [view.cutOffPause.flatMap(view.registration.remark(onPause:))].compactMap(\.self)
  }

  /// The remarks of a program beside its state: its troubles, or else the reason why it stays awake.
  private func told(_ view: AppView, _ program: Program) -> [String] {
    let crashes = engine.installed(program.name)?.crashText.map { "\($0); see `lull logs \(program.name)`" }
    return [crashes].compactMap(\.self) + sentences(view, program)
  }

  private func sentences(_ view: AppView, _ program: Program) -> [String] {
    let sentences = remarks.sentences(of: program.id)
    guard sentences.isEmpty else { return sentences }
    guard !program.isUnmanaged else {
      return ["only heard through Lull: start it with `lull run` to have it managed"]
    }
    let reason = view.registration.reasonToStayAwake(
      of: program.name, in: view.state, isOverBudget: view.isOverBudget, host.policy)
    return (reason ?? view.reasonToWait(at: now)).map { [$0] } ?? []
  }
}

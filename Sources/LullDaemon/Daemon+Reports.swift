import LullEngine
import LullSystem
import LullWire

extension Daemon {
  func status(_ name: String?, _ client: Client) -> Reply? {
    let daemon = [daemonItem] + guardItems + deviceItems
    return report(name, client, [.messages(daemon[...])], .everything)
  }

  func lines(_ name: String?, _ detail: Report.LineDetail, _ client: Client) -> Reply? {
    if case .members = detail, outputs.memberLists >= Self.memberLists {
      return .error(
        code: .busy, message: "\(Self.memberLists) answers to `lines all` are not taken yet; try again later")
    }
    return report(name, client, [], .lines(detail))
  }

  /// Answers with the members of sets that are made at once: the numbers of the rest of a set are kept.
  private static var memberLists: Int { 16 }

  private func report(
    _ name: String?, _ client: Client, _ first: [Report.Part], _ detail: Report.ProgramDetail
  ) -> Reply? {
    if let name {
      guard let id = engine.find(name: name) else { return noSuchProgram(name) }
      return answer(Report(first + [detail.part(of: id)]), client)
    }
    guard case .program(let own) = client.role else {
      return answer(Report(first + [.programs(from: 0, detail)]), client)
    }
    return answer(Report(first + [detail.part(of: own)]), client)
  }

  private var daemonItem: Message {
    Message(item: .daemon).adding(.pid, Identity.pid()).adding(.version, DaemonOptions.version)
      .adding(.clockRate, clock.rate).adding(.suspender, suspenderWord.rawValue)
      .adding(.restarts, options.restarts)
  }

  private var guardItems: [Message] {
    guardRemarks().map { Message(item: .remark).adding(.text, $0) }
  }

  func programItems(_ view: AppView, _ program: Program) -> [Message] {
    var item = Message(item: .program).adding(.name, program.name).adding(.state, view.state.rawValue)
    // A line has room for so many processes; a program with more shows the first ones.
    item = item.adding(.modes, list: view.registration.modes.words).adding(
      .pids, list: pids(of: program).prefix(64).map { "\($0)" })
    item = item.adding(.cgroup, program.cgroupPath ?? "")
    item = item.adding(.asleepSeconds, view.asleep.seconds).adding(.awakeSeconds, view.awake.seconds)
    item = item.adding(.wakes, view.wakes)
    let managed: Vocabulary.Management = program.isCommand ? .command : .library
    item = item.adding(.managed, managed.rawValue).adding(flag: .overBudget, if: view.isOverBudget)
      .adding(.silence, nanoseconds: view.registration.silence?.nanoseconds)
    var items = [item] + leaseItems(view, program)
    if let keepAlive = view.keepAlive {
      items.append(
        Message(item: .keepalive).adding(.program, program.name)
          .adding(.timeoutSeconds, keepAlive.timeout.seconds)
          .adding(.dueInSeconds, (keepAlive.due - now).seconds).adding(.runs, keepAlive.runs))
    }
    items += timerItems(view, program)
    return items + sessionItems(view, program) + wakeItems(view, program) + sleepItems(view, program)
  }

  func pids(of program: Program) -> [Int32] {
    (try? program.suspender.processes()) ?? []
  }

  private func timerItems(_ view: AppView, _ program: Program) -> [Message] {
    guard let timer = view.timer else { return [] }
    return [
      Message(item: .timer).adding(.program, program.name)
        .adding(.dueInSeconds, (timer.due - now).seconds).adding(.floorSeconds, timer.floor?.seconds)
    ]
  }

  private func leaseItems(_ view: AppView, _ program: Program) -> [Message] {
    view.leases.flatMap { lease in
      let item = Message(item: .lease).adding(.program, program.name).adding(.lease, lease.kind.rawValue)
        .adding(.endsInSeconds, lease.ends.map { ($0 - now).seconds })
      guard lease.kind == .task else { return [item] }
      return view.tasks.map { item.adding(.task, $0.name) }
    }
  }

  private func wakeItems(_ view: AppView, _ program: Program) -> [Message] {
    guard let wake = view.lastWake else { return [] }
    return [
      Message(item: .wake).adding(.program, program.name).adding(.reason, wake.reason.rawValue)
        .adding(.line, wake.line?.number).adding(.waitedMicroseconds, program.waitedMicroseconds)
        .adding(.agoSeconds, (now - wake.moment).seconds)
        .adding(.peer, wake.line == nil ? nil : program.wakePeer)
    ]
  }

  func lineItems(_ lines: some Collection<HeldLine>, _ program: Program) -> [Message] {
    // To make a view of a program with thousands of lines takes long; most have no rule.
    let isOffloaded = lines.contains { !$0.offload.isEmpty }
    let views = isOffloaded ? engine.program(program.id, at: now)?.lines ?? [] : []
    return lines.map { line in
      let rules = Offload.names.filter { line.offload.contains($0.rule) }.map(\.name)
      let kind = line.isSet ? Vocabulary.LineKind.set : .init(line.description.kind)
      return Message(item: .line).adding(.program, program.name).adding(.id, line.id.number)
        .adding(.line, kind.rawValue).adding(.connections, line.epollSet?.count)
        .adding(.local, line.description.local).adding(.peer, line.description.peer)
        .adding(.unread, unread(line)).adding(.offload, list: rules.isEmpty ? nil : rules)
        .adding(.answered, rules.isEmpty ? nil : views.first { $0.id == line.id }?.answered)
        .adding(.pid, line.found?.pid).adding(.fd, line.found == nil ? nil : line.number)
        .adding(flag: .disregarded, if: line.found?.isDisregarded == true)
    }
  }

  /// Only while the program sleeps is there a descriptor to ask.
  private func unread(_ line: HeldLine) -> Int? {
    line.duplicate.flatMap { try? Socket.unreadBytes($0.raw) }
  }

  func why(_ name: String, _ client: Client) -> Reply? {
    guard let id = engine.find(name: name) else { return noSuchProgram(name) }
    return answer(Report([.why(id, told: 0)]), client)
  }

  func whyItems(_ view: AppView, _ program: Program) -> [Message] {
    var items = leaseItems(view, program) + timerItems(view, program)
    items += sessionItems(view, program) + wakeItems(view, program)
    items += sleepItems(view, program)
    if let remark = remark(view, program) {
      items.append(Message(item: .remark).adding(.program, program.name).adding(.text, remark))
    }
    return items
  }

  private func sleepItems(_ view: AppView, _ program: Program) -> [Message] {
    guard view.lastSleep != nil || view.lastRefusal != nil else { return [] }
    return [
      Message(item: .sleep).adding(.program, program.name)
        .adding(.agoSeconds, view.lastSleep.map { (now - $0).seconds })
        .adding(.refused, view.lastRefusal?.rawValue)
        .adding(.detail, view.lastRefusal == nil ? nil : text(of: view.lastDetail, program))
    ]
  }

  private func remark(_ view: AppView, _ program: Program) -> String? {
    if let remark = program.remark { return remark }
    if program.isGuest { return "only heard through Lull: start it with `lull run` to have it managed" }
    switch view.state {
    case .active, .inactive:
      return view.registration.speaks
        ? "in the foreground: `lull background \(program.name)` lets it sleep"
        : view.registration.sleepsByItself
          ? "in the foreground: `lull background \(program.name)` lets it sleep"
          : "run without --mode voip: it sleeps only when told, by `lull suspend \(program.name)`"
    case .background where view.isOverBudget: return "woken more often than 15 times in 300 s"
    default: return nil
    }
  }

  func notifications(follow: Bool, _ client: Client) -> Reply? {
    client.followsNotifications = follow
    return answer(Report([.notifications(engine.notifications.map(\.id)[...])]), client)
  }

  func scheduled(_ id: AppID, _ client: Client) -> Reply? {
    let own = engine.notifications.filter { $0.app == id && $0.fires != nil }.map(\.id)
    return answer(Report([.notifications(own[...])]), client)
  }

  func notificationItem(_ view: NotificationView) -> Message {
    let item = Message(item: .notification).adding(.notification, view.id.number).adding(
      .program, view.program)
    let state: Vocabulary.NotificationState = view.fires == nil ? .pending : .scheduled
    return view.content.adding(to: item).adding(.state, state.rawValue)
      .adding(.at, view.fires.map { Double((wallOffset &+ $0.nanoseconds) / 1000) / 1e6 })
      .adding(.repeat, view.repeats?.seconds)
  }

  /// What this daemon found on this machine.
  func doctor(_ client: Client) -> Reply? {
    let alarm = timer.clock == .boottimeAlarm
    let checks = [
      check(
        "freezer", place.root == nil ? .limited : .yes, place.root ?? place.remark ?? "",
        mend: place.root == nil
          ? "delegate a cgroup v2 directory (Delegate=yes) or set LULL_CGROUP_ROOT" : nil),
      check(
        "alarm-timer", alarm ? .yes : .limited,
        alarm ? "CLOCK_BOOTTIME_ALARM" : "CLOCK_BOOTTIME: a suspended machine is not woken",
        mend: alarm ? nil : "give lulld CAP_WAKE_ALARM"),
      check(
        "guard", guardian == nil ? .limited : .yes,
        guardian == nil ? "no lull-guard" : "lull-guard watches",
        mend: guardian == nil ? "start the daemon with lull-guard" : nil),
    ]
    return answer(Report(checks), client)
  }

  private func check(_ name: String, _ result: Vocabulary.CheckResult, _ detail: String, mend: String?)
    -> Message
  {
    Message(item: .check).adding(.name, name).adding(.result, result.rawValue).adding(.detail, detail)
      .adding(.mend, mend)
  }
}

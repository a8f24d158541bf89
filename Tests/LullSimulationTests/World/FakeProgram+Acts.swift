import LullEngine

extension FakeProgram {
  /// An act of the program itself; mostly reasonable.
  func act(_ policy: Policy, _ chance: inout Chance) -> [Deed] {
    guard let app else {
      return registration.speaks ? [.ask(.register(resumption()), .register)] : []
    }
    if chance.happens(temper.deadly) { return [.exit] }
    if registration.isUnmanaged, chance.happens(50) { return [.say(.leave(app))] }
    if registration.isUnmanaged || chance.happens(temper.loud) { return actAloud(app, &chance) }
    guard speaks else { return actSilently(&chance) }
    if chance.happens(temper.bad) { return [misdeed(app, policy: policy, chance: &chance)] }
    let weights = [6, 2, 3, 1, 4, 4, 1, 2, 2, 1, 12, 1, 2, 1, 3]
    switch chance.weighted(weights, total: 45) {
    case 0: return cell.lines.count < 4 ? [hold(app, &chance)] : []
    case 1: return cell.lines.isEmpty ? [] : [release(chance.pick(cell.lines).id, app)]
    case 2: return [install(reasonableTimeout(policy, &chance), app)]
    case 3: return [install(nil, app)]
    case 4: return [begin(app, forgets: temper.hoardsTasks || chance.happens(temper.bad))]
    case 5: return tasks.isEmpty || temper.hoardsTasks ? [] : [end(chance.pick(tasks), app)]
    case 6: return [.ask(.remaining(app), .other)]
    case 7:
      let old = chance.happens(300) ? notifications.last : nil
      return [.ask(.present(app, notification(&chance), replaces: old), .notify)]
    case 8: return [schedule(app, &chance)]
    case 9: return [.ask(.cancel(app, notifications.first), .other)]
    case 10:
      let target: Transition = isActive ? .background : chance.happens(200) ? .foreground : .background
      return [.ask(.transition(app, target), .other)]
    case 11: return [.say(.done(app, lastTicket))]
    case 12:
      let time = chance.happens(800) ? Interval.seconds(Int64(chance.below(900))) : nil
      return [.ask(.wakeIn(app, time), .other)]
    case 13: return chance.happens(200) ? [.say(.leave(app))] : []
    default:
      let interval = chance.happens(800) ? policy.fetchMinimum.scaled(by: Int64(1 + chance.below(4))) : nil
      return [.ask(.fetch(app, interval, since: nil), .other)]
    }
  }

  /// A command has nobody to talk to: it closes what it has open, and ends.
  private func actSilently(_ chance: inout Chance) -> [Deed] {
    if chance.happens(temper.bad), chance.happens(50) { return [.exit] }
    return cell.lines.isEmpty || !chance.happens(200) ? [] : [.close(chance.pick(cell.lines).id)]
  }

  func hold(_ app: AppID, _ chance: inout Chance) -> Deed {
    let others: [LinePurpose] = [.accessory, .location, .bluetooth, .location]
    let kind = chance.happens(300) ? chance.pick(others) : .voip
    let listens = kind == .voip && chance.happens(200)
    let offload: Offload = listens || chance.happens(500) ? [] : .line
    return .ask(.hold(app, kind, offload), .hold(kind, offload, listens: listens))
  }

  func install(_ timeout: Interval?, _ app: AppID) -> Deed {
    .ask(.keepAlive(app, timeout, lastRun: nil), .keepAlive(timeout))
  }

  private func release(_ line: LineID, _ app: AppID) -> Deed {
    .ask(.release(app, line), .release(line))
  }

  private func begin(_ app: AppID, forgets: Bool) -> Deed {
    .ask(.beginTask(app, name: "task"), .begin(forgets: forgets))
  }

  private func end(_ task: TaskID, _ app: AppID) -> Deed { .ask(.endTask(app, task), .end(task)) }

  private func reasonableTimeout(_ policy: Policy, _ chance: inout Chance) -> Interval {
    let minimum = policy.keepAliveMinimum
    return chance.pick([minimum, minimum, minimum.scaled(by: 3, over: 2), minimum.scaled(by: 4)])
  }

  private func notification(_ chance: inout Chance) -> LocalNotification {
    LocalNotification(
      body: "New VOIP call", action: chance.happens(500) ? "Answer" : nil, isCall: chance.happens(500))
  }

  private func schedule(_ app: AppID, _ chance: inout Chance) -> Deed {
    let date: FireDate =
      chance.happens(500)
      ? .after(chance.upTo(.seconds(900)))
      : .wall(Int64(chance.below(4000)) * 1_000_000_000)
    var repeats: Repetition? = chance.happens(200) ? .every(.seconds(60 + Int64(chance.below(600)))) : nil
    if chance.happens(100) { repeats = .calendar(chance.pick([.minute, .hour, .day, .week]), .utc()) }
    return .ask(.schedule(app, notification(&chance), date, repeats: repeats), .notify)
  }

  private func misdeed(_ app: AppID, policy: Policy, chance: inout Chance) -> Deed {
    let unknown = UInt32(chance.below(1000))
    let minimum = policy.keepAliveMinimum.nanoseconds
    switch chance.below(21) {
    case 0: return release(LineID(unknown), app)
    case 1: return end(TaskID(unknown), app)
    case 2: return .ask(.cancel(app, NotificationID(unknown)), .other)
    case 3:
      let timeouts = [minimum - 1, 0, 1, -1, .min, .max, minimum, minimum + 1]
      return install(Interval(nanoseconds: chance.pick(timeouts)), app)
    case 4, 5: return begin(app, forgets: true)
    case 6, 7: return hold(app, &chance)
    case 8: return .ask(.present(app, notification(&chance)), .notify)
    case 9: return .ask(.schedule(app, notification(&chance), .after(.zero), repeats: .every(.zero)), .notify)
    case 10:
      let date = FireDate.wall(chance.pick([.min, -1, 0, .max]))
      let repeats = Interval(nanoseconds: chance.pick([.min, -1, 1, .max]))
      return .ask(.schedule(app, notification(&chance), date, repeats: .every(repeats)), .notify)
    case 11: return .ask(.register(registration), .register)
    case 12: return .say(.did(app, Ticket(lastTicket.number + UInt64(chance.below(4)))))
    case 13: return .say(.done(app, Ticket(chance.pick([0, .max, lastTicket.number + 1]))))
    case 14: return .say(.leave(app))
    case 15: return .ask(.adopt(app, registration), .adopt(registration))
    case 16: return .exit
    case 17: return .ask(.transition(app, chance.pick(Transition.allCases)), .other)
    case 18: return cell.lines.isEmpty ? begin(app, forgets: true) : .close(chance.pick(cell.lines).id)
    case 19:
      let timeout = Interval(nanoseconds: minimum)
      let ages = [Moment(nanoseconds: .max), Moment(nanoseconds: .min), Moment(nanoseconds: 0)]
      let (last, since) = (chance.pick(ages), chance.pick(ages))
      return .ask(.keepAlive(app, timeout, lastRun: last, since: since), .keepAlive(timeout))
    default: return .ask(.remaining(app), .other)
    }
  }

  /// An act of the program with its sound; a command acts through a plugin.
  func actAloud(_ app: AppID, _ chance: inout Chance) -> [Deed] {
    if chance.happens(temper.bad), chance.happens(100) {
      return [.ask(.endSession(app, SessionID(UInt32(chance.below(1000)))), .endSession(nil))]
    }
    guard !sessions.isEmpty, !chance.happens(250) else {
      return sessions.count < 4 || chance.happens(temper.bad) ? [open(app, &chance)] : []
    }
    let session = chance.pick(sessions)
    switch chance.below(10) {
    case 0: return [.ask(.endSession(app, session.id), .endSession(session.id))]
    case 1, 2: return [.playSound(session, false)]
    case 3, 4: return [.interruptSound(session)]
    case 5 where chance.happens(100): return [.cutSound(session)]
    default: return [.playSound(session, true)]
    }
  }

  private func open(_ app: AppID, _ chance: inout Chance) -> Deed {
    let categories: [AudioCategory] = [
      .playback, .playback, .playback, .ambient, .soloAmbient, .record, .playAndRecord,
    ]
    var session = SessionTraits(category: chance.pick(categories))
    let captures = session.category == .record || (session.category == .playAndRecord && chance.happens(500))
    if captures { session.direction = .capture }
    session.mixesWithOthers = chance.happens(150)
    session.ducksOthers = chance.happens(100)
    session.isDeep = !captures && chance.happens(300)
    return .ask(.openSession(app, session), .openSession(session))
  }
}

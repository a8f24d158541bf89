// The rules that need no memory.
extension Idleness {
  /// An incomplete observation proves nothing.
  static func obstacle(_ observation: Observation, _ policy: Policy) -> Finding? {
    switch observation.obstacle {
    case nil: nil
    case .tooManyProcesses(let count):
      .busy(
        .tooManyProcesses, .count(count, most: policy.maximumProcesses), retryAfter: policy.hopelessRetry)
    case .tooManyDescriptors(let count):
      .busy(.tooManyLines, .count(count, most: policy.maximumDescriptors), retryAfter: policy.hopelessRetry)
    case .tooManyLines:
      .busy(
        .tooManyLines, .count(policy.maximumLines + 1, most: policy.maximumLines),
        retryAfter: policy.hopelessRetry)
    case .noRights(let text): .busy(.noRights, .text(text), retryAfter: policy.hopelessRetry)
    case .noDescriptor(let text): .busy(.noDescriptor, .text(text))
    }
  }

  /// Every thread of every process must wait for something that can be watched.
  static func atWork(_ observation: Observation) -> Finding? {
    for thread in observation.threads {
      switch thread.wait {
      case .works:
        return .busy(.notIdle, .thread(process: thread.process, thread: thread.thread))
      case .unwatchable(let what): return .busy(.unwatchable, .unwatchable(what))
      case .sources, .ring, .thread, .child, .signal, .time, .unknown: continue
      }
    }
    // After a SIGCHLD or SIGTERM just before the freeze, the thread that is to take it still waits.
    if let process = observation.signalled { return .busy(.notIdle, .signal(process: process)) }
    return observation.isAsking ? .busy(.asking, .none) : nil
  }

  static func sound(_ observation: Observation) -> Finding? {
    observation.audioDevice.map { .busy(.sound, .sound($0, isSure: true)) }
  }

  /// Something outside must be able to wake the program, and each port that is to wake it must be there. A
  /// script that is still to start the real program must not sleep through its own pauses.
  static func unreachable(_ observation: Observation, _ terms: Terms) -> Finding? {
    if let port = observation.missingPort { return .busy(.noPort, .port(port)) }
    if terms.needsNothing || observation.hasFreeChild { return nil }
    return observation.sources.contains { $0.reach == .outside } ? nil : .busy(.noLine, .none)
  }

  /// A connection that has ended and that nobody closes wakes nobody any more.
  static func abandoned(_ observation: Observation, _ terms: Terms) -> Finding? {
    if terms.needsNothing || observation.hasFreeChild { return nil }
    let canWake = observation.sources.contains { $0.reach == .outside && !$0.hasEnded }
    return canWake ? nil : .busy(.noLine, .none)
  }

  /// An answer may come any moment to what the program sent of its own accord, such as a ping. What it sent
  /// right after something came was an answer itself.
  static func answerDue(_ observation: Observation, _ terms: Terms, policy: Policy) -> Finding? {
    for source in observation.sources {
      guard let activity = source.activity, activity.isEstablished else { continue }
      let isAnswer = activity.sinceReceived - activity.sinceSent < policy.answering
      guard !isAnswer, activity.sinceSent < terms.linger else { continue }
      return .busy(.unanswered, source.detail, retryAfter: terms.linger - activity.sinceSent)
    }
    return nil
  }

  /// A program on the library looks for the next supervisor again and again, and is a command until it has
  /// found it. In a sleep it would not look.
  static func search(_ observation: Observation, _ terms: Terms, at now: Moment, policy: Policy) -> Finding? {
    guard let ends = terms.searchEnds, now < ends else { return nil }
    let timeOuts = observation.threads.compactMap(\.timeOut) + [observation.timer].compactMap(\.self)
    guard let left = timeOuts.min(), now + left <= ends else { return nil }
    return .busy(.returned, .none, retryAfter: left + policy.idleFirst)
  }

  /// The program's own timers: time-outs of waits, timer descriptors and causes of signals. Timers shorter
  /// than `tick` do not count, or a sleep would be no sleep.
  static func timers(_ observation: Observation, _ turn: Turn) -> OwnTimers.Ahead {
    let waits = observation.threads.longWaits(turn.policy)
    var timers = waits.compactMap { thread in
      thread.timeOut.map { (left: $0, owed: thread.course == .standsStill ? $0 : .zero) }
    }
    if let timer = observation.timer, timer >= turn.policy.tick { timers.append((timer, .zero)) }
    let next = timers.min { $0.left < $1.left }
    var ahead = OwnTimers.Ahead(due: next.map { turn.now + $0.left }, hasHidden: observation.hidesTimers)
    ahead.owed = next?.owed ?? .zero
    ahead.anew = waits.compactMap { $0.course == .beginsAnew ? $0.timeOut : nil }
    return ahead
  }
}

extension WakeSource {
  var isDatagram: Bool { if case .udp = transport { true } else { false } }

  var activity: Activity? { if case .tcp(let activity) = transport { activity } else { nil } }

  var hasEnded: Bool { isReady && !isFull && activity?.isEstablished == false }

  var detail: Detail { line.map { .line($0, unread: unread) } ?? .none }
}

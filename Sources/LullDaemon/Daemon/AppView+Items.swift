import LullEngine
import LullWire

extension AppView {
  /// Each task has a record of its own.
  func leaseItems(_ name: String, at now: Moment) -> [Message] {
    leases.flatMap { lease in
      let names = lease.kind == .task ? tasks.map { Optional($0.name) } : [nil]
      return names.map { task in
        LeaseItem {
          ($0.program, $0.kind, $0.task) = (name, OpenWord(lease.kind), task)
          $0.endsInSeconds = lease.ends.map { ($0 - now).seconds }
        }
        .message
      }
    }
  }

  func keepAliveItems(_ name: String, at now: Moment) -> [Message] {
    guard let keepAlive else { return [] }
    let item = KeepAliveItem {
      ($0.program, $0.timeoutSeconds, $0.runs) = (name, keepAlive.timeout.seconds, Int64(keepAlive.runs))
      $0.dueInSeconds = (max(keepAlive.due, now) - now).seconds
    }
    return [item.message]
  }

  func timerItems(_ name: String, at now: Moment) -> [Message] {
    guard let timer else { return [] }
    let item = TimerItem {
      ($0.program, $0.isHidden, $0.floorSeconds) = (name, timer.isHidden, timer.floor?.seconds)
      $0.dueInSeconds = timer.due.map { ($0 - now).seconds }
      $0.lookInSeconds = timer.looks.map { ($0 - now).seconds }
    }
    return [item.message]
  }
}

extension AppView {
  /// For a program that nothing keeps awake, and that was not refused its sleep: it has just been started or
  /// woken, or its first freeze was a trial. Nil for any other program.
  func reasonToWait(at now: Moment) -> NoteItem? {
    guard state == .background, leases.isEmpty, lastRefusal == nil, let nextAttempt else { return nil }
    var note = NoteItem(.lookedAt)
    note.seconds = (nextAttempt - now).seconds
    return note
  }
}

extension AppView {
  var recordingNotes: [NoteItem] {
    (isRecordingDenied ? [NoteItem(.recordingDenied)] : [])
      + (recordsStraight ? [NoteItem(.recordsStraight)] : [])
  }

  func fetchNote(at now: Moment) -> NoteItem? {
    guard let nextFetch else { return nil }
    var note = NoteItem(.nextFetch, cause: nextFetch == .never ? "no-route" : nil)
    if nextFetch != .never { note.seconds = max(.zero, nextFetch - now).seconds }
    return note
  }
}

extension Registration {
  /// Nil for a pause of more than five minutes, which `--silence` does not hold.
  func healthNote(onPause pause: Interval) -> NoteItem? {
    guard !speaks, let enough = [30.0, 60, 120, 300, 600].first(where: { pause.seconds <= $0 / 2 })
    else { return nil }
    var note = NoteItem(.pause)
    (note.seconds, note.silenceSeconds) = (pause.seconds, enough)
    return note
  }

  /// Nil when the program's leases say all.
  func reasonToStayAwake(
    in state: ApplicationState, isOverBudget: Bool, _ policy: Policy
  ) -> NoteItem? {
    switch state {
    case .active, .inactive: return NoteItem(speaks || sleepsByItself ? .foreground : .toldAlone)
    case .background where isOverBudget:
      var note = NoteItem(.overBudget)
      (note.count, note.seconds) = (Int64(policy.wakeBudget), policy.wakeBudgetPeriod.seconds)
      return note
    default: return nil
    }
  }
}

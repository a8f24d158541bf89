extension ProcessIdentity: FieldGroup {
  package static var blank: Self { .init(pid: 0, start: 0) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      pid: try fields.needed(.pid, .number(in: 0 ... .max), value: pid),
      start: try fields.needed(.start, .unsigned, value: start))
  }
}

extension ProgramEntry: FieldGroup {
  package static var blank: Self { .init(name: "", process: .blank, suspension: .cgroup) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    let name = try fields.needed(.name, .programName, value: name)
    let process = try process.visited(by: &fields)
    let kind: Vocabulary.Management = command == nil ? .library : .command
    let managed = try fields.needed(.managed, .word, value: kind)
    return .init(
      name: name, process: process,
      suspension: try fields.needed(.suspender, .word, value: suspension),
      cgroup: try fields.optional(.cgroup, .text, value: cgroup),
      command: managed == .command ? try (command ?? .blank).visited(by: &fields) : nil,
      exit: try fields.optional(.result, .end, value: exit),
      progress: try fields.optional(.state, .word, value: progress),
      deaths: try fields.optional(.restarts, .number(in: 0...1_000_000), value: deaths > 0 ? deaths : nil)
        ?? 0)
  }
}

extension CommandEntry: FieldGroup {
  package static var blank: Self { .init(run: "", words: "") }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      run: try fields.needed(.run, .text, value: run),
      words: try fields.needed(.text, .text, value: words),
      isFreezeExempt: try fields.flag(.freezeExempt, isFreezeExempt),
      startedAt: try fields.optional(.since, .number(in: 0 ... .max), value: startedAt),
      keepAliveRanAt: try fields.optional(.lastRun, .number(in: 0 ... .max), value: keepAliveRanAt),
      fetchedAt: try fields.optional(.fetchedAt, .number(in: 0 ... .max), value: fetchedAt),
      ending: try fields.optional(.reason, .word, value: ending),
      endWord: try fields.optional(.why, .openWord(), value: endWord),
      askedToEndAt: try fields.optional(.at, .number(in: 0 ... .max), value: askedToEndAt),
      speaks: try fields.flag(.returning, speaks))
  }
}

extension EndEntry: FieldGroup {
  package static var blank: Self { .init(name: "", at: 0) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    let name = try fields.needed(.name, .programName, value: name)
    let at = try fields.needed(.at, .number(in: 0 ... .max), value: at)
    let pid = try fields.optional(.pid, .number(in: 0 ... .max), value: process?.pid)
    let start = try fields.optional(.start, .unsigned, value: process?.start)
    return .init(
      name: name, at: at, process: pid.map { .init(pid: $0, start: start ?? 0) },
      status: try status.visited(by: &fields),
      reason: try fields.optional(.reason, .openWord(), value: reason),
      schemes: try fields.list(.schemes, .schemes, value: schemes),
      hasLeft: try fields.flag(.left, hasLeft))
  }
}

extension FieldType<EndEntry> {
  /// The end of a program's first process, as the text line of an end.
  fileprivate static var end: Self {
    .init(.text) { (message, key) throws(WireError) in
      guard let text = message[key] else { return nil }
      guard case .exited(let end) = try LedgerRecord.parse(try Message.parse(text)) else { return nil }
      return end
    } write: { message, key, end in
      var bytes: [UInt8] = []
      LedgerRecord.exited(end).message().encodeTruncating(into: &bytes)
      return message.adding(key, String(decoding: bytes.dropLast(), as: UTF8.self))
    }
  }
}

extension InstalledEntry: FieldGroup {
  package static var blank: Self { .init(name: "", state: .ended) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      name: try fields.needed(.name, .programName, value: name),
      state: try fields.needed(.state, .word(among: [.running, .waiting, .ended, .quit]), value: state),
      cause: try fields.optional(.cause, .word, value: cause),
      restarts: try fields.optional(
        .restarts, .number(in: 0...1_000_000_000), value: restarts > 0 ? restarts : nil) ?? 0,
      due: try fields.optional(.due, .number(in: 0 ... .max), value: due),
      cameAt: try fields.optional(.at, .number(in: 0 ... .max), value: cameAt),
      keepAlive: try fields.optional(.keepAlive, .seconds(in: Bounds.durations), value: keepAlive),
      lastRun: try fields.optional(.lastRun, .number(in: 0 ... .max), value: lastRun),
      since: try fields.optional(.since, .number(in: 0 ... .max), value: since),
      fetch: try fields.optional(.fetch, .seconds(in: Bounds.durations), value: fetch),
      stretch: try fields.optional(.stretch, .number(in: 1...1_000_000), value: stretch),
      fetchedAt: try fields.optional(.fetchedAt, .number(in: 0 ... .max), value: fetchedAt))
  }
}

extension NotificationEntry: FieldGroup {
  package static var blank: Self {
    .init(id: NotificationID(0), program: "", content: .blank, isScheduled: false)
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    var seen = Self(
      id: try fields.needed(.notification, .identifier, value: id),
      program: try fields.needed(.program, .text, value: program),
      content: try content.visited(by: &fields),
      isScheduled: try fields.flag(.waiting, isScheduled),
      date: try fields.optional(.at, .seconds(in: Bounds.dates), value: date),
      due: try fields.optional(.due, .number(in: 0 ... .max), value: due),
      repeats: try fields.optional(.repeat, .repeatRule, value: repeats),
      zone: try fields.optional(.zone, .text, value: zone),
      first: try fields.optional(.since, .seconds(in: Bounds.dates), value: first))
    seen.content.otherAction = try fields.optional(.otherAction, .text, value: content.otherAction)
    return seen
  }
}

extension RecordingEntry: FieldGroup {
  package static var blank: Self { .init("", .denied) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      try fields.needed(.name, .programName, value: name),
      try fields.needed(.permission, .word, value: permission))
  }
}

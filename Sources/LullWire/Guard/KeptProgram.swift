/// The description of a program that `lull-guard` keeps for the next `lulld`: the fields of `store` and
/// `restore`.
package struct KeptProgram: Equatable, Sendable {
  /// Its name.
  package var name: String
  /// Its first process.
  package var pid: Int32
  /// The means by which it is suspended.
  package var suspender: Vocabulary.Suspender
  /// The path of its cgroup.
  package var cgroup: String?
  /// The command that was run; nil for a program that registered itself, and comes back by itself.
  package var command: KeptCommand?

  /// Makes the fields.
  package init(
    name: String, pid: Int32, suspender: Vocabulary.Suspender, cgroup: String? = nil,
    command: KeptCommand? = nil
  ) {
    (self.name, self.pid, self.suspender, self.cgroup) = (name, pid, suspender, cgroup)
    self.command = command
  }
}

/// The description of a command that `lull-guard` keeps.
package struct KeptCommand: Equatable, Sendable {
  /// The request that started it, so that its fields stay in force.
  package var run: Request.Run
  /// The command with its arguments.
  package var words: String
  /// True when the command is never to be frozen.
  package var isFreezeExempt: Bool
  /// The moment of its start, on CLOCK_BOOTTIME.
  package var startedAt: Int64?
  /// The moment when its keep-alive last ran, on CLOCK_BOOTTIME.
  package var keepAliveRanAt: Int64?
  /// The reason for which it was asked to end, or was killed.
  package var ending: KillReason?
  /// The word for that reason in the record of its end.
  package var endWord: String?
  /// The last moment at which it was sent a signal that asks for its end, on CLOCK_BOOTTIME.
  package var askedToEndAt: Int64?

  /// Makes the fields.
  package init(
    run: Request.Run, words: String, isFreezeExempt: Bool = false, startedAt: Int64? = nil,
    keepAliveRanAt: Int64? = nil, ending: KillReason? = nil, endWord: String? = nil,
    askedToEndAt: Int64? = nil
  ) {
    (self.run, self.words, self.isFreezeExempt) = (run, words, isFreezeExempt)
    (self.startedAt, self.keepAliveRanAt) = (startedAt, keepAliveRanAt)
    (self.ending, self.endWord, self.askedToEndAt) = (ending, endWord, askedToEndAt)
  }
}

extension KeptProgram: FieldGroup {
  package static var blank: Self { .init(name: "", pid: 0, suspender: .cgroup) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    let name = try fields.needed(.name, .programName, value: name)
    let pid = try fields.needed(.pid, .number(in: 0 ... .max), value: pid)
    let kind: Vocabulary.Management = command == nil ? .library : .command
    let managed = try fields.needed(.managed, .word, value: kind)
    return .init(
      name: name, pid: pid,
      suspender: try fields.needed(.suspender, .word, value: suspender),
      cgroup: try fields.optional(.cgroup, .text, value: cgroup),
      command: managed == .command ? try (command ?? .blank).visited(by: &fields) : nil)
  }
}

extension KeptCommand: FieldGroup {
  package static var blank: Self { .init(run: .blank, words: "") }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      run: try fields.needed(.run, .runLine, value: run),
      words: try fields.needed(.text, .text, value: words),
      isFreezeExempt: try fields.flag(.freezeExempt, isFreezeExempt),
      startedAt: try fields.optional(.since, .number(in: 0 ... .max), value: startedAt),
      keepAliveRanAt: try fields.optional(.lastRun, .number(in: 0 ... .max), value: keepAliveRanAt),
      ending: try fields.optional(.reason, .word, value: ending),
      endWord: try fields.optional(.why, .text, value: endWord),
      askedToEndAt: try fields.optional(.at, .number(in: 0 ... .max), value: askedToEndAt))
  }
}

extension FieldType<Request.Run> {
  /// The text line of the request, as ``Request`` describes it.
  fileprivate static var runLine: Self {
    .init(.line(.run)) { (message, key) throws(WireError) in
      guard let text = message[key] else { return nil }
      let line = try Message.parse(text)
      guard line.verb == Verb.run.rawValue else {
        throw .badValue(key: key.rawValue, value: text, expected: "a line \"\(Verb.run)\"")
      }
      return try Request.Run(line)
    } write: { message, key, run in
      var bytes: [UInt8] = []
      run.adding(to: Message(.run)).encodeTruncating(into: &bytes)
      return message.adding(key, String(decoding: bytes.dropLast(), as: UTF8.self))
    }
  }
}

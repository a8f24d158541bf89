/// The description of an installed program for the next `lulld`: the fields of `keep-installed` between
/// `lulld` and `lull-guard`, and of the lines in the state directory.
package struct KeptInstalled: Equatable, Sendable {
  /// Its name.
  package var name: String
  /// What becomes of it: `running`, `waiting` (it is to be started), `ended` or `quit`.
  package var state: InstalledState
  /// The reason of its next start, or of its last one.
  package var cause: LaunchReason?
  /// Crashes and failed starts in a row.
  package var restarts: Int64
  /// The beginning of its life, or of its last one, on CLOCK_BOOTTIME.
  package var cameAt: Int64?
  /// The time-out of the keep-alive that it had when it ended.
  package var keepAlive: Interval?
  /// The last run of that keep-alive, on CLOCK_BOOTTIME.
  package var lastRun: Int64?
  /// The moment from which the time-out counts where it has not run, on CLOCK_BOOTTIME.
  package var since: Int64?

  /// Makes the fields.
  package init(
    name: String, state: InstalledState, cause: LaunchReason? = nil, restarts: Int64 = 0,
    cameAt: Int64? = nil, keepAlive: Interval? = nil, lastRun: Int64? = nil, since: Int64? = nil
  ) {
    (self.name, self.state, self.cause, self.restarts) = (name, state, cause, restarts)
    (self.cameAt, self.keepAlive, self.lastRun, self.since) = (cameAt, keepAlive, lastRun, since)
  }
}

extension KeptInstalled: FieldGroup {
  package static var blank: Self { .init(name: "", state: .ended) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      name: try fields.needed(.name, .programName, value: name),
      state: try fields.needed(.state, .word(among: [.running, .waiting, .ended, .quit]), value: state),
      cause: try fields.optional(.cause, .word, value: cause),
      restarts: try fields.optional(.restarts, .number(in: 0...1_000_000_000), value: restarts) ?? 0,
      cameAt: try fields.optional(.at, .number(in: 0 ... .max), value: cameAt),
      keepAlive: try fields.optional(.keepAlive, .seconds(in: Bounds.durations), value: keepAlive),
      lastRun: try fields.optional(.lastRun, .number(in: 0 ... .max), value: lastRun),
      since: try fields.optional(.since, .number(in: 0 ... .max), value: since))
  }
}

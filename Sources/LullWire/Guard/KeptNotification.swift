/// The description of a notification that is kept for the next `lulld`, by `lull-guard` and in the state
/// directory: the fields of `keep`.
package struct KeptNotification: Equatable, Sendable {
  /// Its number.
  package var id: NotificationID
  /// The name of its program.
  package var program: String
  /// Its text, its action and its sound.
  package var content: LocalNotification
  /// True while it is shown, or waits for its time.
  package var state: Vocabulary.NotificationState
  /// The date at which it is due, as the time since 1970.
  package var date: Interval?
  /// The moment at which it is due, on CLOCK_BOOTTIME; it goes before the date while the machine runs. For
  /// one that is shown: the moment at which that was.
  package var due: Int64?
  /// The rule by which it is shown again.
  package var repeats: RepeatRule?
  /// The time zone of that rule; nil for the machine's own.
  package var zone: String?
  /// The first date, from which repeats count.
  package var first: Interval?

  /// Makes the fields.
  package init(
    id: NotificationID, program: String, content: LocalNotification, state: Vocabulary.NotificationState,
    date: Interval? = nil, due: Int64? = nil, repeats: RepeatRule? = nil, zone: String? = nil,
    first: Interval? = nil
  ) {
    (self.id, self.program, self.content, self.state) = (id, program, content, state)
    (self.date, self.due, self.repeats, self.zone, self.first) = (date, due, repeats, zone, first)
  }
}

extension KeptNotification: FieldGroup {
  package static var blank: Self {
    .init(id: NotificationID(0), program: "", content: .blank, state: .pending)
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      id: try fields.needed(.notification, .identifier, value: id),
      program: try fields.needed(.program, .text, value: program),
      content: try content.visited(by: &fields),
      state: try fields.needed(.state, .word, value: state),
      date: try fields.optional(.at, .seconds(in: Bounds.dates), value: date),
      due: try fields.optional(.due, .number(in: 0 ... .max), value: due),
      repeats: try fields.optional(.repeat, .repeatRule, value: repeats),
      zone: try fields.optional(.zone, .text, value: zone),
      first: try fields.optional(.since, .seconds(in: Bounds.dates), value: first))
  }
}

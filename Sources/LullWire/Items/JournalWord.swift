/// The words of the journal (`what=` of an entry) that Lull itself reads. docs/DEBUGGING.md has them all.
package enum JournalWord: String, CaseIterable, Sendable {
  case state
  case frozen
  case woke
  case launched
  case purged
  case exited
  case left
  /// A command got lines back, and is looked at.
  case linesGiven = "lines-given"
  /// A command took the lines that it got back, or is believed to.
  case linesTaken = "lines-taken"
}

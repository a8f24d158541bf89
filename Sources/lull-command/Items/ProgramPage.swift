import LullWire

/// What `lull status NAME` shows of a program that runs.
struct ProgramPage {
  let program: ProgramReport
  let why: WhyReport
  let remarks: [String]
  /// The words of the command that its first process runs; none where they cannot be read.
  var command: [String] = []
  /// The start of that process, in seconds since 1970.
  var since: Double?
  /// Its last wakes, the oldest first.
  var wakes: [EntryItem] = []
  var log: [String] = []
}

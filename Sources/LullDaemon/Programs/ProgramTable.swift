import LullEngine

/// The programs, in the order of their slots, the notes on them, and those that may be about to leave.
final class ProgramTable: Sequence {
  let notes = HealthNotes()
  private var programs = AppTable<Program>()
  /// Programs that lost their connection while their process lived; they leave at these moments.
  private var leaving: [(id: AppID, at: Int64)] = []

  func makeIterator() -> some IteratorProtocol<Program> { programs.values.makeIterator() }

  subscript(id: AppID) -> Program? { programs[id] }

  func first(fromSlot slot: Int) -> Program? { programs.first(fromSlot: slot) }

  /// `path` is one of /proc/PID/cgroup.
  func first(inCgroup path: String) -> Program? {
    first { program in program.cgroupPath.map { path == $0 || path.hasPrefix($0 + "/") } ?? false }
  }

  // MARK: Coming and going

  func add(_ program: Program) { programs[program.id] = program }

  func remove(_ id: AppID) {
    guard self[id] != nil else { return }
    programs[id] = nil
    notes.forget(id)
    stays(id)
  }

  /// The program has lost its connection. It leaves at `moment` unless it turns out to be ending or comes
  /// back.
  func mayLeave(_ id: AppID, at moment: Int64) {
    stays(id)
    leaving.append((id, moment))
  }

  func stays(_ id: AppID) { leaving.removeAll { $0.id == id } }

  /// On CLOCK_BOOTTIME.
  var deadline: Int64? { leaving.map(\.at).min() }

  func takeLeaving(by now: Int64) -> [Program] {
    let due = leaving.filter { $0.at <= now }
    leaving.removeAll { $0.at <= now }
    return due.compactMap { self[$0.id] }
  }
}

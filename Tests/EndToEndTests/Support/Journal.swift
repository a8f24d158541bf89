import LullSystem
import LullWire
import TestSupport
import Testing

/// The daemon's log, followed from its start: the tests wait for its entries instead of for time to pass.
final class Journal {
  private let control: Control
  private var waiting: [Message] = []
  /// The last entries, for a failure's description.
  private var last: [Message] = []

  init(path: String) throws {
    control = try Control(path: path)
    // Entries of a daemon before this one are not what a test waits for.
    waiting = try control.order("log follow last=2048").all(.entry).filter { $0[.earlier] == nil }
  }

  /// Waits for the next entry that fits; earlier ones are passed over.
  @discardableResult
  func wait(
    _ what: String, of program: String? = nil, cause: String? = nil, detail: String? = nil
  ) throws -> Message {
    let wanted = "\(what) \(cause ?? "") \(detail ?? "") of \(program ?? "anything")"
    let deadline = Deadline()
    while true {
      let entry = try next(wanted, before: deadline)
      guard entry["what"] == what, program == nil || entry["program"] == program else { continue }
      guard cause == nil || entry["cause"] == cause, detail == nil || entry["detail"] == detail else {
        continue
      }
      return entry
    }
  }

  /// Waits for the next entry of a program with one of these words.
  func next(of program: String, among words: [String]) throws -> Message {
    let deadline = Deadline()
    while true {
      let entry = try next("\(words) of \(program)", before: deadline)
      if entry["program"] == program, words.contains(entry["what"] ?? "") { return entry }
    }
  }

  /// Waits until the program has been put to sleep.
  func waitForSleep(of program: String) throws { try wait("frozen", of: program) }

  /// Waits until the program was refused its sleep for this reason. Fails at once when it is put to sleep.
  @discardableResult
  func waitForRefusal(of program: String, cause: String) throws -> Message {
    while true {
      let entry = try next(of: program, among: ["frozen", "freeze-refused"])
      try #require(entry["what"] == "freeze-refused", "\(program) was put to sleep: \(entry)")
      if entry["cause"] == cause { return entry }
    }
  }

  /// Waits until the program sleeps, if it does not already.
  func waitUntilAsleep(_ program: String, _ lull: Lull) throws {
    _ = try entriesUpToNow()
    if try lull.state(of: program) != "suspended" { try waitForSleep(of: program) }
  }

  /// The entries that have come and were not waited for, up to now.
  func entriesUpToNow() throws -> [Message] {
    // The answer comes after every notice before it.
    _ = try control.order("hello")
    while let entry = control.keptNotice() { waiting.append(entry) }
    defer { waiting = [] }
    return waiting
  }

  /// Entries that come all the time must not make a wait endless.
  private func next(_ wanted: String, before deadline: Deadline) throws -> Message {
    if !waiting.isEmpty { return waiting.removeFirst() }
    do {
      if deadline.isOver { throw NothingCame(description: "only others came in \(deadline.milliseconds) ms") }
      let entry = try control.notice(before: deadline)
      last = Array((last + [entry]).suffix(8))
      return entry
    } catch {
      let last = last.map { "\n  \($0)" }.joined()
      throw NothingCame(description: "no entry \(wanted) in the log: \(error); the last ones:\(last)")
    }
  }
}

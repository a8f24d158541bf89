import LullEngine
import LullInspect
import LullSystem

/// The look at a program before its freeze, in steps: a large program does not hold up the wake of another.
final class ProgramLook {
  let ticket: Ticket
  /// A call that a freeze would cut short, in any process, counts for more than the first work.
  private(set) var activity = Look.Activity.waits
  private(set) var processorTime: Int64 = 0
  /// `process` is the look at the first of the processes that are left.
  private var processes: ArraySlice<Int32>?
  private var process: ActivityLook?

  init(_ ticket: Ticket) { self.ticket = ticket }

  func advance(
    _ suspender: Suspender, until limit: Int64, _ files: (Int32) -> ThreadFiles
  ) throws(SystemError) -> Bool {
    let begin = Clock.processorTime()
    defer { processorTime += Clock.processorTime() - begin }
    if processes == nil { processes = try suspender.processes()[...] }
    while let pid = processes?.first {
      guard try see(pid, until: limit, files) else { return false }
      process = nil
      processes = isOver ? [] : processes?.dropFirst()
    }
    return true
  }

  private func see(
    _ pid: Int32, until limit: Int64, _ files: (Int32) -> ThreadFiles
  ) throws(SystemError) -> Bool {
    guard Clock.boottime() < limit else { return false }
    do {
      let look: ActivityLook
      if let process { look = process } else { look = try ActivityLook(at: files(pid)) }
      process = look
      guard try look.advance(until: limit) else { return false }
      take(look.found, of: pid)
    } catch {
      guard error.isNoSuchFile || error.isNoSuchProcess else { throw error }
    }
    return true
  }

  private func take(_ found: ProcessActivity, of pid: Int32) {
    switch found {
    case .waits: break
    case .works(let thread): if activity == .waits { activity = .works(process: pid, thread: thread) }
    case .moves(let thread, let call): activity = .moves(process: pid, thread: thread, call: call)
    case .narrow: activity = .unreadable(.narrow)
    }
  }

  private var isOver: Bool {
    switch activity {
    case .waits, .works: false
    case .moves, .unreadable: true
    }
  }
}

import LullGuard
import LullSystem

struct ShortRun {
  /// Two runs of one subject are never at once, so that their order is kept.
  let subject: String
  let arguments: [String]
  /// Entries `NAME=value`, beside this process's own.
  let environment: [String]
  var isUrgent = false
}

/// Short runs of other programs, side by side up to a limit; the others wait. One that takes too long is
/// ended.
struct ShortRuns {
  enum End {
    case ended(ExitStatus), overdue, failed(SystemError)
  }

  private struct Running {
    let run: ShortRun
    let process: HelperProcess
    let execStatus: DescriptorBox
    let until: Int64
    var isOverdue = false
  }

  private let openFileLimit: Int?
  private let journal: Journal
  private let most: Int
  private let mostWaiting: Int
  /// In nanoseconds.
  private let time: Int64
  private var waiting: [ShortRun] = []
  private var running: [Running] = []

  init(
    most: Int, mostWaiting: Int, time: Int64, openFileLimit: Int?, journal: Journal
  ) {
    (self.most, self.mostWaiting, self.time) = (most, mostWaiting, time)
    (self.openFileLimit, self.journal) = (openFileLimit, journal)
  }

  var isWaiting: Bool { !waiting.isEmpty }

  /// On CLOCK_BOOTTIME.
  var deadline: Int64? { running.filter { !$0.isOverdue }.map(\.until).min() }

  /// It takes the place of a run that waits for the same subject. When too many wait, the oldest that is not
  /// urgent is dropped, and returned.
  mutating func add(_ run: ShortRun) -> ShortRun? {
    waiting.removeAll { $0.subject == run.subject }
    var dropped: ShortRun?
    if waiting.count >= mostWaiting {
      dropped = waiting.remove(at: waiting.firstIndex { !$0.isUrgent } ?? 0)
    }
    waiting.append(run)
    return dropped
  }

  mutating func clear() { waiting.removeAll() }

  mutating func start() -> [(ShortRun, End)] {
    var failed: [(ShortRun, End)] = []
    while running.count < most, let index = nextIndex {
      let run = waiting.remove(at: index)
      do {
        running.append(try spawn(run))
      } catch {
        failed.append((run, .failed(error)))
      }
    }
    return failed
  }

  private var nextIndex: Int? {
    func isFree(_ run: ShortRun) -> Bool { !running.contains { $0.run.subject == run.subject } }
    return waiting.firstIndex { $0.isUrgent && isFree($0) } ?? waiting.firstIndex(where: isFree)
  }

  private func spawn(_ run: ShortRun) throws(SystemError) -> Running {
    let nothing = try Files.openNull()
    var request = SpawnRequest(run.arguments)
    request.environment += run.environment.map { Array($0.utf8) }
    (request.standardInput, request.standardOutput) = (nothing.raw, nothing.raw)
    request.group = .newSession
    request.openFileLimit = openFileLimit
    let (process, execStatus) = try HelperProcess.spawn(request)
    return Running(run: run, process: process, execStatus: execStatus, until: Clock.boottime() + time)
  }

  mutating func childrenChanged() -> [(ShortRun, End)] {
    var (ended, rest): ([(ShortRun, End)], [Running]) = ([], [])
    for one in running {
      if let end = end(of: one) { ended.append((one.run, end)) } else { rest.append(one) }
    }
    running = rest
    return ended
  }

  private func end(of one: Running) -> End? {
    // Without a status to take the process has ended as well.
    guard let status = journal.ignoring(.ended, try Process.waitStatus(one.process.pidfd.raw)) else {
      return .ended(.unknown)
    }
    guard let status else { return nil }
    if case .failed(let error)? = try? Process.execResult(one.execStatus.raw) { return .failed(error) }
    return one.isOverdue ? .overdue : .ended(status)
  }

  /// What a run has started in its session ends with it.
  mutating func endOverdue(at now: Int64) {
    for index in running.indices where !running[index].isOverdue && running[index].until <= now {
      running[index].isOverdue = true
      // The group is that of the process, which is a child whose status is not taken yet.
      journal.ignoring(.ended, try Process.kill(group: running[index].process.pid, Signal.kill))
    }
  }
}

import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The owner of the ledger: each record is in the runtime directory before what it tells is done, and what
/// outlives the machine is written to the state directory by a worker. A write to the runtime
/// directory, which is memory, takes less time than to wake a thread.
final class LedgerStore {
  enum State: Equatable {
    case written, pending
    case failed(SystemError)
  }

  private(set) var ledger = Ledger()
  private(set) var predecessor = Ledger()
  /// True when the machine has run on since that daemon, and when all that it had noted is there.
  private(set) var isSameBoot = false, isWhole = false
  private let path: String
  private let file: LedgerAppender
  private let copy: StateFile?
  private let copyPath: String?
  private let journal: Journal
  private let policy: SupervisionPolicy
  private var wholeSize = 0
  /// The file could not be written, and is written again at this moment.
  private var retryAt: Int64?
  private var failure: SystemError?
  /// Installed programs that somebody ends to start them again: they are not quit.
  private var restarting: [String] = []
  private var isUsed = false

  /// `directory` is nil when the user has no place for a copy.
  init(
    path: String = LedgerFile.path(), directory: String?, by worker: Worker = Worker(),
    _ policy: SupervisionPolicy, _ journal: Journal
  ) {
    (file, self.path) = (LedgerAppender(path), path)
    (self.policy, self.journal) = (policy, journal)
    copyPath = directory.map { "\($0)/\(LedgerFile.name)" }
    copy = directory.map { directory in
      StateFile(LedgerFile.name, in: directory, by: worker) { error in
        Complaint.ledgerUncopied(error).say()
        journal.note(
          program: nil, what: "ledger-unwritten", .init(.untilMachineEnds, error: "\(error)"))
      }
    }
  }

  // MARK: The daemon before this one

  /// `isAfterFault`: the daemon before this one ended by a fault. `isService`: a service manager has started
  /// this one. `boots` is that of `Ledger.next`.
  func begin(
    isAfterFault: Bool, isService: Bool = false, boots: Bool? = nil, installed names: () -> [String] = { [] }
  ) {
    let runtime = read(path)
    var copied: LedgerFile.Content?
    if let runtime, runtime.isOfThisBoot {
      (predecessor, isSameBoot, isWhole) = (Ledger(runtime.records), true, true)
      if !runtime.faults.isEmpty {
        copied = copyPath.flatMap(read)
        if let copied, copied.isOfThisBoot { take(lostIn: copied) }
      }
    } else if let runtime, !runtime.records.isEmpty {
      predecessor = Ledger(runtime.records).afterBoot()
    } else if let found = copyPath.flatMap(read) {
      copied = found
      let ledger = Ledger(found.records)
      // The runtime directory alone is gone.
      (predecessor, isSameBoot) = (found.isOfThisBoot ? ledger : ledger.afterBoot(), found.isOfThisBoot)
    }
    ledger = predecessor.next(
      isAfterFault: isAfterFault, isService: isService, boots: boots, installed: names)
    isUsed = !predecessor.lastingSnapshot().isEmpty
    if isUsed { copy?.changed(atOnce: lacksQuit(copied)) }
    rewrite(at: Clock.boottime())
  }

  /// A line that cannot be read may have been that of a quit, which the copy has as well.
  private func take(lostIn copied: LedgerFile.Content) {
    for entry in Ledger(copied.records).installed where predecessor.installed(entry.name) == nil {
      predecessor.apply(.installed(entry))
    }
  }

  /// True where the daemon before this one died before a quit was on the disk.
  private func lacksQuit(_ content: LedgerFile.Content?) -> Bool {
    let content = content ?? copyPath.flatMap { try? LedgerFile.read($0) }
    let copied = content.map { Ledger($0.records) } ?? Ledger()
    return ledger.installed.contains { $0.state == .quit && copied.installed($0.name)?.state != .quit }
  }

  private func read(_ path: String) -> LedgerFile.Content? {
    do {
      guard let content = try LedgerFile.read(path) else { return nil }
      for fault in content.faults.prefix(8) { tell("ledger-unread", fault) }
      return content.isKnown ? content : nil
    } catch {
      if !error.isNotADirectory { tell("ledger-unread", "\(error)") }
      return nil
    }
  }

  private func tell(_ what: String, _ detail: String) {
    StandardError.say("lulld: \(detail)")
    journal.note(program: nil, what: what, detail: detail)
  }

  // MARK: Records

  func note(_ record: LedgerRecord) {
    var record = record
    if case .installed(var entry) = record, entry.state == .quit, restarting.contains(entry.name) {
      // Both processes may die before it is started again.
      entry.state = .running
      record = .installed(entry)
    }
    let wasQuit = record.installedName.map { ledger.installed($0)?.state == .quit } ?? false
    guard ledger.apply(record) else { return }
    append(record)
    guard record.lasts else { return }
    let isQuit = record.installedName.map { ledger.installed($0)?.state == .quit } ?? false
    isUsed = true
    // Whoever quits a program waits until it is written.
    copy?.changed(atOnce: wasQuit != isQuit)
  }

  func note(_ programs: [InstalledEntry]) {
    restarting.removeAll { name in !programs.contains { $0.name == name && $0.state == .quit } }
    for entry in programs { note(.installed(entry)) }
  }

  /// With `restarts` the program is only ended to be started again.
  func wasQuit(_ name: String, restarts: Bool) {
    restarting.removeAll { $0 == name }
    if restarts { restarting.append(name) }
  }

  /// Parents have written ends since this daemon began.
  func hearParents() {
    guard (try? file.hasGrown()) == true else { return }
    rewrite(at: Clock.boottime())
  }

  private func append(_ record: LedgerRecord) {
    guard retryAt == nil else { return }
    do throws(SystemError) {
      guard try file.append([record]), file.size < max(policy.ledgerSize, 4 * wholeSize) else {
        return rewrite(at: Clock.boottime())
      }
    } catch {
      failed(error)
    }
  }

  private func rewrite(at now: Int64) {
    do throws(SystemError) {
      let isWritten = try file.replace(taking: takeEnds) { ledger.snapshot() }
      // A parent that writes its end at this moment is done soon.
      guard isWritten else { return retryAt = now + policy.ledgerRetry.nanoseconds }
      (wholeSize, retryAt, failure) = (file.size, nil, nil)
    } catch {
      failed(error)
    }
  }

  private func takeEnds(_ content: LedgerFile.Content) {
    guard content.isOfThisBoot else { return }
    for case .exited(let end) in content.records { ledger.apply(.exited(end)) }
  }

  private func failed(_ error: SystemError) {
    retryAt = Clock.boottime() + policy.fileRetry.nanoseconds
    guard failure == nil else { return }
    failure = error
    tell("ledger-unwritten", Explanation(.untilItDies, error: "\(error)").line)
  }

  // MARK: Time

  /// On CLOCK_BOOTTIME.
  var deadline: Int64? { [retryAt, copy?.deadline].compactMap(\.self).min() }

  /// The copy does not tell of ended programs that are `startingAnew` when the machine is.
  func work(at now: Int64, startingAnew: (String) -> Bool) {
    if let retryAt, retryAt <= now { rewrite(at: now) }
    copy?.work(at: now) { LedgerFile.bytes(ledger.lastingSnapshot(startingAnew: startingAnew)) }
  }

  /// Waits for the copy, for a second at most. After an end in good order (`isOver`) the next daemon starts
  /// what is installed anew.
  func finish(isOver: Bool, startingAnew: (String) -> Bool) {
    if isOver { note(.finished) }
    guard isUsed else { return }
    copy?.changed()
    copy?.finish { LedgerFile.bytes(ledger.lastingSnapshot(startingAnew: startingAnew)) }
  }

  /// Whether all that is quit is on the disk. Nothing is pending where the user has no place for the copy.
  var state: State {
    guard let copy, copy.isAwaited else { return .written }
    return copy.failure.map(State.failed) ?? .pending
  }
}

extension LedgerRecord {
  fileprivate var installedName: String? {
    switch self {
    case .installed(let entry): entry.name
    case .uninstalled(let name): name
    default: nil
    }
  }

  fileprivate var lasts: Bool {
    switch self {
    case .program, .progress, .exited, .began, .booted: false
    case .finished, .ended, .installed, .uninstalled, .notification, .withdrawn, .quiet, .recording: true
    }
  }
}

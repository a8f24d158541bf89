import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The keepers that this daemon has started. Each starts its program, or says why it cannot, and stays with
/// it.
final class Keepers {
  struct Failure: Equatable {
    let name: String
    /// True for an error in its file, or a command that is gone: another try would fail as well.
    var isMisconfigured = false
  }

  private struct Start {
    let execStatus: DescriptorBox
    /// Standard error, which the keeper lets go of when its program runs.
    let complaints: DescriptorBox
    let registration: Slot
  }

  private struct Keeper {
    let name: String
    let process: HelperProcess
    let registration: Slot
    /// Until the start is over without a complaint.
    var start: Start?
    /// True once the engine knows what became of the start.
    var isOver = false
  }

  /// `lull keep` ends with these where somebody must mend something; a shell gives 126 and 127 for a command
  /// that cannot be executed or is gone.
  private static let configurationErrors: [ExitStatus] = [
    .exited(Launch.misconfiguredStatus), .exited(126), .exited(127),
  ]
  private static let ownName = "lull: "
  private static let longestComplaint = 1000

  private let reactor: DaemonReactor
  private let journal: Journal
  private let openFileLimit: Int?
  /// By process number.
  private var keepers: [Int32: Keeper] = [:]
  private var failures: [Failure] = []
  private var troubles: [String: String] = [:]
  /// What the journal said last of a program that has not run since.
  private var told: [String: String] = [:]

  init(_ services: SharedServices) {
    (reactor, journal) = (services.reactor, services.journal)
    openFileLimit = services.options.openFileLimit
  }

  func start(_ name: String, _ launch: Launch) {
    troubles[name] = nil
    do {
      try spawn(name, launch)
    } catch {
      failed(name, Explanation(.keeperFailed, name: name, error: error.message).line)
    }
  }

  private func spawn(_ name: String, _ launch: Launch) throws(SystemError) {
    let nothing = try Files.openNull()
    let root = try Files.openDirectory("/")
    let pipe = try Pipe.open()
    try Descriptor.stopBlocking(pipe.reading.raw)
    var request = SpawnRequest([try Process.sibling("lull"), "keep", name] + launch.words)
    (request.standardInput, request.standardOutput) = (nothing.raw, nothing.raw)
    request.standardError = pipe.writing.raw
    request.directory = root.raw
    request.group = .newSession
    // Everybody can read the words of a process, and only its user the environment.
    if launch.push != nil { request.environment += launch.environment.map { Array($0.utf8) } }
    request.openFileLimit = openFileLimit
    let (process, execStatus) = try HelperProcess.spawn(request)
    do {
      let source = EventSource.keeper(process.pid)
      let start = Start(
        execStatus: execStatus, complaints: pipe.reading,
        registration: try reactor.add(pipe.reading.raw, [.readable, .oneShot], as: source))
      keepers[process.pid] = Keeper(
        name: name, process: process, registration: try reactor.add(process.pidfd.raw, .readable, as: source),
        start: start)
    } catch {
      journal.ignoring(.ended, try process.send(Signal.kill))
      throw error
    }
  }

  func arrived(_ name: String) {
    told[name] = nil
    isOver(name)
  }

  /// The keeper is ended, with what it has started in its session.
  func giveUp(_ name: String) {
    for (pid, keeper) in keepers where keeper.name == name && !keeper.isOver {
      // The group is that of a child whose status is not taken yet.
      journal.ignoring(.ended, try Process.kill(group: pid, Signal.kill))
    }
    isOver(name)
    tell(name, Explanation(.notRegisteredInTime).line)
  }

  private func isOver(_ name: String) {
    for (pid, keeper) in keepers where keeper.name == name { keepers[pid]?.isOver = true }
  }

  /// A keeper has said something, has let go of its standard error, or has ended. One that ends after it has
  /// said something could not start its program.
  func changed(_ pid: Int32) {
    closeStart(of: pid)
    guard let keeper = keepers[pid] else { return }
    let taken = journal.ignoring(.ended, try Process.waitStatus(keeper.process.pidfd.raw))
    // Without a status to take the process has ended as well.
    guard let status = taken ?? ExitStatus.unknown else { return }
    for registration in [keeper.registration, keeper.start?.registration].compactMap(\.self) {
      reactor.remove(registration)
    }
    keepers[pid] = nil
    let complaint = complaint(of: keeper)
    guard status != .exited(0), !keeper.isOver || complaint != nil else { return }
    let ending = Explanation(.keeperFailed, name: keeper.name, error: status.words)
    var (why, isMisconfigured) = (complaint ?? ending.line, false)
    if let start = keeper.start, case .failed(let error)? = try? Process.execResult(start.execStatus.raw) {
      why = Explanation(.keeperFailed, name: keeper.name, error: error.message).line
    } else {
      isMisconfigured = Self.configurationErrors.contains(status)
    }
    guard !keeper.isOver else { return tell(keeper.name, why) }
    failed(keeper.name, why, isMisconfigured: isMisconfigured)
  }

  /// The start is over when nobody holds the pipes any more, and nothing was said.
  private func closeStart(of pid: Int32) {
    guard let start = keepers[pid]?.start else { return }
    for pipe in [start.execStatus, start.complaints] {
      let readiness = journal.ignoring([], try Socket.poll(pipe.raw, .readable, timeoutMilliseconds: 0))
      guard readiness == .hangUp else { return }
    }
    reactor.remove(start.registration)
    keepers[pid]?.start = nil
  }

  /// The last text line, without the name that `lull` puts before it.
  private func complaint(of keeper: Keeper) -> String? {
    var buffer = ReceiveBuffer(capacity: 4096)
    guard let start = keeper.start,
      case .bytes = journal.ignoring([], try StandardStreams.read(start.complaints.raw, into: &buffer)),
      let line = buffer.received.split(separator: UInt8(ascii: "\n")).last
    else { return nil }
    let text = String(decoding: line.prefix(Self.longestComplaint), as: UTF8.self)
    return text.hasPrefix(Self.ownName) ? String(text.dropFirst(Self.ownName.count)) : text
  }

  func takeFailure() -> Failure? { failures.isEmpty ? nil : failures.removeFirst() }

  func trouble(_ name: String) -> String? { troubles[name] }

  private func failed(_ name: String, _ detail: String, isMisconfigured: Bool = false) {
    failures.append(Failure(name: name, isMisconfigured: isMisconfigured))
    tell(name, detail)
  }

  private func tell(_ name: String, _ detail: String) {
    troubles[name] = detail
    // A program that is tried again and again has one entry.
    guard told[name] != detail else { return }
    told[name] = detail
    journal.note(program: name, what: "launch-failed", detail: detail)
  }
}

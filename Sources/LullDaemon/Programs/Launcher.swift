import LullChannel
import LullEngine
import LullSystem
import LullWire

/// Starts commands, and tells the result of each start.
final class Launcher {
  /// A command that has been cloned and not yet executed.
  struct Pending {
    let status: DescriptorBox
    /// The watch of `status`.
    let registration: Slot
    /// The connection that waits for the answer.
    let client: Slot
    let command: String
  }

  /// The result of `finish`.
  enum Outcome {
    /// The result is known already, or not yet.
    case nothing
    case started(Slot)
    case failed(Slot, Reply)
  }

  /// A child that is about to become the command.
  struct Spawned {
    let pid: Int32
    let pidfd: DescriptorBox
    /// Readable when the child has become the command, or could not.
    let status: DescriptorBox
  }

  /// The limit of processes and threads of one command, where the kernel counts them: it stops a command that
  /// forks without end.
  private static let maximumTasks = 4096

  private let reactor: DaemonReactor
  private let journal: Journal
  private let openFileLimit: Int?
  private var pending = AppTable<Pending>()

  init(_ services: SharedServices) {
    (reactor, journal, openFileLimit) = (services.reactor, services.journal, services.options.openFileLimit)
  }

  /// Starts a command with the descriptors that its client has handed over.
  func spawn(_ block: CommandBlock, _ staged: Staged, in cgroup: Cgroup?) throws(SystemError) -> Spawned {
    _ = cgroup?.limitProcesses(to: Self.maximumTasks)
    var request = SpawnRequest(block)
    request.directory = staged.directory?.raw
    request.standardInput = staged.standard[0]?.raw
    request.standardOutput = staged.standard[1]?.raw
    request.standardError = staged.standard[2]?.raw
    request.group = .newSession
    request.cgroup = cgroup?.directory
    request.openFileLimit = openFileLimit
    let spawned = try Process.spawn(request)
    let pid = spawned.pid
    let (pidfd, status) = spawned.boxes()
    return Spawned(pid: pid, pidfd: pidfd, status: status)
  }

  /// Watches the child until it has become the command; `client` waits for the answer.
  func track(_ program: Program, status: DescriptorBox, client: Slot, command: String)
    throws(SystemError)
  {
    let registration = try reactor.add(status.raw, .readable, as: .exec(program.id))
    pending[program.id] = Pending(
      status: status, registration: registration, client: client, command: command)
  }

  /// The clone has become the command, or has reported its errno.
  func finish(_ id: AppID) -> Outcome {
    guard let exec = pending[id] else { return .nothing }
    let result = journal.ignoring([], try Process.execResult(exec.status.raw)) ?? .started
    if case .pending = result { return .nothing }
    forget(id)
    guard case .failed(let error) = result else { return .started(exec.client) }
    return .failed(exec.client, Self.failure(error, exec.command))
  }

  func forget(_ id: AppID) {
    if let exec = pending[id] { reactor.remove(exec.registration) }
    pending[id] = nil
  }

  /// The error reply for a command that could not be started.
  static func failure(_ error: SystemError, _ command: String) -> Reply {
    if error.isNoSuchFile { return .error(code: .notFound, message: "\(command): command not found") }
    guard error.isNotExecutable else {
      return .error(code: .spawnFailed, message: "\(command): \(error.message)")
    }
    return .error(code: .notExecutable, message: "\(command): cannot be executed (\(error.message))")
  }
}

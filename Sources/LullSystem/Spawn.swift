internal import CLinux
internal import Glibc

/// A program to start.
public struct SpawnRequest: Sendable {
  /// Which process group the child belongs to.
  public enum Group: Sendable {
    /// That of the parent.
    case inherited
    /// A new one, in the same session: the terminal stays its terminal.
    case newGroup
    /// A new one in a new session, without a terminal.
    case newSession
  }

  /// A descriptor that the child gets at a fixed number.
  public struct Passed: Hashable, Sendable {
    /// The descriptor here.
    public var source: Int32
    /// Its number in the child.
    public var number: Int32

    /// Passes `source` as `number`.
    public init(_ source: Int32, as number: Int32) {
      self.source = source
      self.number = number
    }
  }

  /// The program (looked up in the PATH of `environment` when it has no slash) and its arguments, without
  /// NUL.
  public var arguments: [[UInt8]]
  /// Entries `NAME=value`, without NUL.
  public var environment: [[UInt8]]
  /// A descriptor of the working directory; nil: that of the parent.
  public var directory: Int32?
  /// Becomes number 0; nil: that of the parent.
  public var standardInput: Int32?
  /// Becomes number 1; nil: that of the parent.
  public var standardOutput: Int32?
  /// Becomes number 2; nil: that of the parent.
  public var standardError: Int32?
  /// Further descriptors; all that are not named here are closed.
  public var passed: [Passed] = []
  /// The process group.
  public var group: Group = .inherited
  /// A descriptor of a cgroup's directory, in which the child begins; nil: the cgroup of the parent.
  /// Never a frozen one: the child would not run, and its start could not be told from a hang.
  public var cgroup: Int32?
  /// The soft limit of open files; nil: that of the parent. A program that uses select(2) needs the limit
  /// that the parent had before it raised its own.
  public var openFileLimit: Int?
  /// Stands in place of `arguments` and `environment`.
  private(set) var block: CommandBlock?

  /// A program with its arguments and environment.
  public init(arguments: [[UInt8]], environment: [[UInt8]]) {
    self.arguments = arguments
    self.environment = environment
  }

  /// A program with its arguments and environment in one piece.
  public init(_ block: CommandBlock) {
    self.init(arguments: [], environment: [])
    self.block = block
  }

  /// A program with its arguments and the environment of this process.
  public init(_ arguments: [String]) {
    self.init(arguments: arguments.map { Array($0.utf8) }, environment: Identity.allEnvironment())
  }
}

/// A program that was started.
@frozen public struct Spawned: ~Copyable {
  /// Its number.
  public let pid: Int32
  /// Its descriptor; readable when it has ended.
  public var pidfd: Descriptor
  /// A pipe, readable when the program runs or could not be run: see `Process.execResult`.
  public var execStatus: Descriptor
}

/// Whether a spawned child became the program.
public enum ExecResult: Equatable, Sendable {
  /// Not decided yet; wait until the pipe is readable.
  case pending
  /// The program runs (or was killed before it could).
  case started
  /// It could not be run; the child exits with status 127.
  case failed(SystemError)
}

extension Process {
  /// Starts a program with default signal handling, at once in its cgroup. Returns before the program runs;
  /// `execResult` tells what came of it. EINVAL: no arguments, or more than 61 passed descriptors; EBUSY or
  /// EOPNOTSUPP: a cgroup that cannot hold processes. The corresponding C functions are `clone3` and
  /// `execvp`.
  public static func spawn(_ request: SpawnRequest) throws(SystemError) -> Spawned {
    let standard = [(request.standardInput, 0), (request.standardOutput, 1), (request.standardError, 2)]
    var passed: [clinux_passed] = []
    for case (let source?, let number) in standard {
      passed.append(clinux_passed(source: source, number: Int32(number)))
    }
    passed += request.passed.map { clinux_passed(source: $0.source, number: $0.number) }
    let arguments = request.block?.arguments ?? CStringList(request.arguments)
    let environment = request.block?.environment ?? CStringList(request.environment)
    var call = unsafe clinux_spawn_request()
    unsafe call.passed_count = Int32(passed.count)
    unsafe call.directory = request.directory ?? -1
    unsafe call.cgroup = request.cgroup ?? -1
    unsafe call.open_file_limit = request.openFileLimit.map(Int64.init) ?? -1
    unsafe call.group =
      switch request.group {
      case .inherited: CLINUX_GROUP_INHERITED
      case .newGroup: CLINUX_GROUP_NEW
      case .newSession: CLINUX_GROUP_NEW_SESSION
      }
    let pid = try systemCall("clone3") {
      unsafe passed.withUnsafeBufferPointer { passed in
        unsafe arguments.withPointers { arguments in
          unsafe environment.withPointers { environment in
            unsafe call.passed = passed.baseAddress
            unsafe call.arguments = arguments
            unsafe call.environment = environment
            return unsafe clinux_spawn(&call)
          }
        }
      }
    }
    return unsafe Spawned(
      pid: pid, pidfd: Descriptor(owning: call.pidfd), execStatus: Descriptor(owning: call.exec_status))
  }

  /// Reads what became of a spawned child. The corresponding C function is `read`.
  public static func execResult(_ execStatus: Int32) throws(SystemError) -> ExecResult {
    var failure = clinux_spawn_failure()
    let size = MemoryLayout<clinux_spawn_failure>.size
    switch try readOutcome("read", on: .own, { unsafe read(execStatus, &failure, size) }) {
    case .wouldBlock: return .pending
    case .endOfStream: return .started
    case .bytes: return .failed(SystemError(code: failure.code, call: stepName(failure.step)))
    }
  }

  private static func stepName(_ step: Int32) -> String {
    switch clinux_spawn_step(UInt32(bitPattern: step)) {
    case CLINUX_STEP_GROUP: "setsid"
    case CLINUX_STEP_DIRECTORY: "fchdir"
    case CLINUX_STEP_DUPLICATE: "dup2"
    case CLINUX_STEP_CLOSE_RANGE: "close_range"
    default: "execvp"
    }
  }
}

internal import CLinux
internal import Glibc

package struct SpawnRequest: Sendable {
  package enum Group: Sendable {
    case inherited
    /// A new one, in the same session: the terminal stays its terminal.
    case newGroup
    /// A new one in a new session, without a terminal.
    case newSession
  }

  package enum Signals: Sendable {
    case none
    /// The child ignores what this process ignores, and blocks what the mask blocks.
    case inherited(SignalMask)
  }

  package struct Passed: Hashable, Sendable {
    package var source: Int32
    package var number: Int32

    package init(_ source: Int32, as number: Int32) {
      self.source = source
      self.number = number
    }
  }

  /// The program (looked up in the PATH of `environment` when it has no slash) and its arguments, without
  /// NUL.
  package var arguments: [[UInt8]]
  /// Entries `NAME=value`, without NUL.
  package var environment: [[UInt8]]
  package var directory: Int32?
  /// Numbers 0, 1 and 2 of the child; nil leaves the parent's.
  package var standardInput: Int32?, standardOutput: Int32?, standardError: Int32?
  package var passed: [Passed] = []
  /// The entry of ``environment`` that gets the number of the child before it becomes the program, as
  /// sd_listen_fds(3) has it.
  package static let pidEntry = "LISTEN_PID=0000000000"
  /// True: the child gets every descriptor that this process would leave open on exec, at its own number.
  /// False: it gets those that are named here, and no others.
  package var inheritsDescriptors = false
  package var signals: Signals = .none
  /// True: the child waits for `Process.openGate` before it becomes the program, and ends when the gate is
  /// closed.
  package var isGated = false
  package var group: Group = .inherited
  /// A descriptor of a cgroup's directory, in which the child begins; nil: the cgroup of the parent.
  /// Never a frozen one: the child would not run, and its start could not be told from a hang.
  package var cgroup: Int32?
  /// The soft limit of open files; nil: that of the parent. A program that uses select(2) needs the limit
  /// that the parent had before it raised its own.
  package var openFileLimit: Int?
  /// The signal that the child gets when the thread that started it ends; 0: none.
  package var parentDeathSignal: Int32 = 0

  package init(arguments: [[UInt8]], environment: [[UInt8]]) {
    self.arguments = arguments
    self.environment = environment
  }

  /// The environment is that of this process.
  package init(_ arguments: [String]) {
    self.init(arguments: arguments.map { Array($0.utf8) }, environment: Identity.allEnvironment())
  }
}

@frozen package struct Spawned: ~Copyable {
  package let pid: Int32
  /// Readable when the child has ended.
  package var pidfd: Descriptor
  /// A pipe, readable when the program runs or could not be run: see `Process.execResult`.
  package var execStatus: Descriptor
  package var gate: Descriptor?

  package consuming func boxes() -> (pidfd: DescriptorBox, execStatus: DescriptorBox) {
    (DescriptorBox(pidfd), DescriptorBox(execStatus))
  }
}

package enum ExecResult: Equatable, Sendable {
  /// Not decided yet; wait until the pipe is readable.
  case pending
  /// The program runs (or was killed before it could).
  case started
  /// The program could not be run; the child exits with status 127 where there is none, else with 126.
  case failed(SystemError)
}

extension Process {
  /// Starts a program, at once in its cgroup. Returns before the program runs; `execResult` tells the
  /// outcome. EINVAL: no arguments, or more than 61 passed descriptors; EBUSY or EOPNOTSUPP: a cgroup that
  /// cannot hold processes. The corresponding C functions are `clone3` and `execvp`.
  package static func spawn(_ request: SpawnRequest) throws(SystemError) -> Spawned {
    let standard = [(request.standardInput, 0), (request.standardOutput, 1), (request.standardError, 2)]
    var passed: [clinux_passed] = []
    for case (let source?, let number) in standard {
      passed.append(clinux_passed(source: source, number: Int32(number)))
    }
    passed += request.passed.map { clinux_passed(source: $0.source, number: $0.number) }
    let arguments = CStringList(request.arguments)
    let environment = CStringList(request.environment)
    var call = unsafe clinux_spawn_request()
    unsafe call.passed_count = Int32(passed.count)
    unsafe call.directory = request.directory ?? -1
    unsafe call.cgroup = request.cgroup ?? -1
    unsafe call.open_file_limit = request.openFileLimit.map(Int64.init) ?? -1
    unsafe call.parent_death_signal = request.parentDeathSignal
    unsafe call.group =
      switch request.group {
      case .inherited: CLINUX_GROUP_INHERITED
      case .newGroup: CLINUX_GROUP_NEW
      case .newSession: CLINUX_GROUP_NEW_SESSION
      }
    unsafe call.descriptors =
      request.inheritsDescriptors ? CLINUX_DESCRIPTORS_INHERITED : CLINUX_DESCRIPTORS_NAMED
    unsafe call.gated = request.isGated ? 1 : 0
    var mask: SignalMask?
    if case .inherited(let own) = request.signals { mask = own }
    let pid = try unsafe clone(
      &call, mask: mask, passed: passed, arguments: arguments, environment: environment)
    let gate = unsafe call.gate
    return unsafe Spawned(
      pid: pid, pidfd: Descriptor(owning: call.pidfd), execStatus: Descriptor(owning: call.exec_status),
      gate: gate == -1 ? nil : Descriptor(owning: gate))
  }

  private static func clone(
    _ call: inout clinux_spawn_request, mask: SignalMask?, passed: [clinux_passed],
    arguments: CStringList, environment: CStringList
  ) throws(SystemError) -> Int32 {
    var set = mask?.set ?? sigset_t()
    return try systemCall("clone3") {
      unsafe passed.withUnsafeBufferPointer { passed in
        unsafe arguments.withPointers { arguments in
          unsafe environment.withPointers { environment in
            unsafe call.passed = passed.baseAddress
            unsafe call.arguments = arguments
            unsafe call.environment = environment
            guard mask != nil else { return unsafe clinux_spawn(&call) }
            return unsafe withUnsafePointer(to: &set) { (set: UnsafePointer<sigset_t>) in
              unsafe call.mask = UnsafeRawPointer(set)
              return unsafe clinux_spawn(&call)
            }
          }
        }
      }
    }
  }

  package static func execResult(_ execStatus: Int32) throws(SystemError) -> ExecResult {
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

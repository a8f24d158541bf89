import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// A daemon of a test's own, with everything that belongs to it; ended at the end of the test.
final class Lull {
  let sandbox: Sandbox
  let runtimeDirectory: String
  let environment: [String]
  private let command: [String]
  private(set) var guardian: ConnectedChild

  /// Starts lulld and waits until its socket accepts. `cgroupRoot` nil: in the sandbox; `prefix` is a command
  /// that starts lulld, such as setpriv; `binaries` is another directory of lulld and lull-guard.
  init(
    clockRate: Int = 1, cgroupRoot: String? = nil, sandbox: Sandbox? = nil, prefix: [String] = [],
    binaries: String? = nil, environment more: [String] = [], group: SpawnRequest.Group = .newGroup
  ) throws {
    let own = try sandbox ?? Sandbox()
    self.sandbox = own
    // The desktop of who runs the tests is not theirs.
    let usual = [
      "DBUS_SESSION_BUS_ADDRESS=unix:path=\(own.directory)/no-bus", "DBUS_SYSTEM_BUS_ADDRESS=", "TZ=UTC",
    ]
    .filter { variable in !more.contains { $0.hasPrefix(variable.prefix { $0 != "=" } + "=") } }
    runtimeDirectory = "\(own.directory)/run"
    environment =
      [
        "LULL_RUNTIME_DIR=\(runtimeDirectory)", "LULL_CGROUP_ROOT=\(cgroupRoot ?? own.cgroup)",
        "XDG_STATE_HOME=\(own.directory)/state", "XDG_CONFIG_HOME=\(own.directory)/config",
        "LULL_SYSTEM_ROOT=\(own.directory)/machine",
      ] + usual + more
    let daemon = try binaries.map { "\($0)/lulld" } ?? Built.program("lulld")
    command = prefix + [daemon, "--clock-rate", "\(clockRate)"]
    guardian = try Self.start(command, environment: environment, group: group)
  }

  deinit {
    try? guardian.signal(Signal.terminate)
    _ = try? guardian.end()
    // After an upgrade another guard is there, which is no child of this process. A lulld without a guard may
    // be about to end.
    guard let answer = try? connect().ask("hello").last, let pid = try? answer.integer(.pid) else { return }
    try? endReplaced(Int32(pid))
  }

  /// A lulld started by hand becomes lull-guard, which closes `--ready` when the socket accepts, or says why
  /// not.
  private static func start(
    _ command: [String], environment: [String], passed: [SpawnRequest.Passed] = [],
    group: SpawnRequest.Group = .newGroup
  ) throws -> ConnectedChild {
    let (here, there) = try UnixSocket.pair()
    let number: Int32 = 9
    let child = try ConnectedChild(
      command + ["--ready", "\(number)"], environment: environment,
      passed: passed + [.init(there.raw, as: number)],
      group: group)
    there.close()
    let complaint = try Channel(here, name: "the daemon's start").untilEnd()
    try #require(complaint.isEmpty, "the daemon did not start: \(complaint)")
    return child
  }

  /// Starts a new pair after the last one has ended, and one that a command has started since, with more
  /// variables and descriptors.
  func startAgain(environment more: [String] = [], passed: [SpawnRequest.Passed] = []) throws {
    try guardian.end()
    if UnixSocket.isListening(path: socket) { try endReplaced() }
    guardian = try Self.start(command, environment: environment + more, passed: passed)
  }

  // MARK: What it says

  var socket: String { "\(runtimeDirectory)/control" }

  func connect() throws -> Control { try Control(path: socket) }

  func journal() throws -> Journal { try Journal(path: socket) }

  /// Makes one request that must be granted.
  @discardableResult
  func order(_ request: String) throws -> Control.Answer { try connect().order(request) }

  /// The process of lulld.
  var pid: Int32 {
    get throws { Int32(try order("hello").last.integer(.pid)) }
  }

  func item(_ kind: ItemKind, of program: String) throws -> Message {
    let items = try order("status name=\(program)").all(kind)
    return try #require(items.first, "status has no \(kind) of \(program)")
  }

  /// The field of the program's own item.
  func field(_ key: Key, of program: String) throws -> String {
    try #require(try item(.program, of: program)[key], "status has no \(key) of \(program)")
  }

  func state(of program: String) throws -> String { try field(.state, of: program) }

  /// The cgroup of a program.
  func cgroup(of program: String) throws -> Cgroup {
    try Cgroup.open(at: CgroupMount.find() + field(.cgroup, of: program))
  }

  /// The output of `lull`, run as a user would.
  func run(_ arguments: String...) throws -> CommandResult { try run(arguments) }

  func run(_ arguments: [String]) throws -> CommandResult {
    let child = try start(arguments)
    return CommandResult(
      output: try child.output.untilEnd(), errors: try child.errors.untilEnd(),
      status: try child.end())
  }

  /// Starts `lull`, which goes on beside the test; `prefix` is a command that starts it.
  func start(_ arguments: [String], input: Int32? = nil, prefix: [String] = []) throws -> ConnectedChild {
    try ConnectedChild(
      prefix + [Built.program("lull")] + arguments, environment: environment, input: input)
  }
}

/// The outcome of a run of `lull`.
struct CommandResult {
  let output: String
  let errors: String
  let status: ExitStatus
}

extension Lull {
  /// Ends lulld with SIGKILL and waits for its end; returns its number.
  @discardableResult
  func kill() throws -> Int32 {
    let pid = try pid
    let pidfd = try Process.pidfdOpen(pid)
    try Process.sendSignal(pidfd.raw, Signal.kill)
    try Deadline().wait(pidfd.raw, .readable, for: "the end of lulld")
    return pid
  }

  /// Ends a lulld whose guard is not this process's child: its parent, or its child when it took the place of
  /// a guard that died.
  func endReplaced(_ pid: Int32? = nil) throws {
    let pid = try pid ?? self.pid
    var number: Int32 = 1
    // Between the end of a guard and the start of the next one, the daemon is init's child.
    try eventually("the daemon has no guard") {
      number = try children("lull-guard", of: pid).first ?? Process.parentPid(of: pid)
      return number != 1
    }
    let guardian = try Process.pidfdOpen(number)
    try Process.kill(pid, Signal.terminate)
    try Deadline().wait(guardian.raw, .readable, for: "the end of the new guard")
  }

  /// The children of lulld, or of `parent`, that are this program.
  func children(_ program: String, of parent: Int32? = nil) throws -> [Int32] {
    try Process.children(of: parent ?? pid).filter {
      (try? Kernel.text("/proc/\($0)/comm")) == "\(program)\n"
    }
  }

  /// What doctor says of the journal; `detail` is the path of its file.
  func journalCheck() throws -> Message {
    try #require(try order("doctor").all(.check).first { $0[.name] == "journal" })
  }

  /// Starts a command under the daemon that nobody waits for.
  func detach(_ name: String, options: [String] = [], words: [String] = []) throws {
    let command = ["sh", "-c", "exec sleep 1000 </dev/null >/dev/null 2>&1", "sh"] + words
    let run = try start(["run", "--detach", "--name", name] + options + ["--"] + command)
    try #require(try run.end() == .exited(0), "\(name) was not started")
  }
}

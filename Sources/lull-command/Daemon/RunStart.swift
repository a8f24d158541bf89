import LullChannel
import LullSystem
import LullWire

/// The start of a command: the daemon makes room for it, this process starts it there, and the daemon takes
/// the program over before it becomes the command.
struct RunStart {
  let command: CommandWords
  let request: Request.Run

  func reserve(over connection: consuming Connection) throws(Failure) -> RunPlace {
    var connection = connection
    // One that returns comes again by itself, and serves others meanwhile.
    let place = try request.returns ? makeRoom(&connection) : connection.overRestart(makeRoom)
    let name = try readable(place.ok.string(.name))
    var command = command
    if let folder = ProgramStateFolder.path(of: name) {
      command.environment = CommandWords.environment(
        command.environment, adding: [Array("\(ProgramStateFolder.variable)=\(folder)".utf8)])
    }
    return RunPlace(
      command: command, request: request, name: name, cgroup: place.descriptor, connection: connection)
  }

  private func makeRoom(_ connection: inout Connection) throws(Failure) -> Connection.Response {
    _ = try connection.ask(.command(arguments: command.arguments.count), descriptor: command.words())
    return try connection.ask(.run(request))
  }
}

/// The room that the daemon has made for a command; given back when this value ends and no command was
/// started.
struct RunPlace: ~Copyable {
  private(set) var command: CommandWords
  let request: Request.Run
  let name: String
  let cgroup: DescriptorBox?
  var connection: Connection

  mutating func takeLines() throws(Failure) -> GivenLines? {
    guard let lines = try GivenLines(of: name, on: &connection) else { return nil }
    command.environment = CommandWords.environment(command.environment, adding: lines.environment)
    return lines
  }

  /// `signals` were blocked before: a Ctrl-C between the start and the first wait is not lost.
  ///
  /// Throws `command` when the command does not exist or cannot be executed.
  consuming func start(
    _ setting: ChildSetting, _ signals: consuming ForwardedSignals, isJob: Bool
  ) throws(Failure) -> RunSession {
    var (child, isPlaced) = try spawn(setting, mask: signals.before)
    do throws(Failure) {
      do throws(Failure) { try handOver(child) } catch .connectionLost {
        isPlaced = try handOverToNext(child, isPlaced)
      }
    } catch {
      child.turnAway()
      throw error
    }
    let origin = RunStart(command: .init(arguments: command.arguments, environment: []), request: request)
    var session = try RunSession(
      name: name, origin: origin, child: child, isPlaced: isPlaced, connection: connection, signals: signals,
      isJob: isJob)
    try session.start(command.name)
    return session
  }

  /// Starts the child in the cgroup or, where the kernel refuses that, in this process's own. There this
  /// process becomes the parent of the command's orphans, so that the daemon finds them.
  private func spawn(
    _ setting: ChildSetting, mask: SignalMask
  ) throws(Failure) -> (ChildProcess, isPlaced: Bool) {
    if let cgroup,
      let child = try? ChildProcess(command, cgroup: cgroup, setting: setting, mask: mask)
    {
      return (child, true)
    }
    let words = "\(command.name) cannot be started"
    try explained(words, Process.becomeSubreaper())
    var command = command
    let tag = Array("LULL_RUN=\(Identity.pid())".utf8)
    command.environment = CommandWords.environment(command.environment, adding: [tag])
    let child = try explained(words, ChildProcess(command, cgroup: nil, setting: setting, mask: mask))
    return (child, false)
  }

  /// The daemon has ended since it made room. The next one knows the child if that one has noted it; else it
  /// makes room anew, and may refuse: the command has not begun, and so does not return. False where the
  /// child is in no cgroup of a daemon's.
  private mutating func handOverToNext(_ child: ChildProcess, _ isPlaced: Bool) throws(Failure) -> Bool {
    var next = try connection.next()
    var isKnown = true
    do throws(Failure) { _ = try next.ask(.attach(name: name)) } catch .refused(.noSuchProgram, _) {
      isKnown = false
    }
    guard !isKnown else {
      connection = next
      return isPlaced
    }
    var request = request
    request.name = name
    self = try RunStart(command: command, request: request).reserve(over: next)
    let isPlaced = child.move(into: cgroup)
    try handOver(child)
    return isPlaced
  }

  mutating func handOver(_ child: ChildProcess) throws(Failure) {
    let pidfd = try explained("\(command.name) cannot be started", Descriptor.duplicating(child.pidfd.raw))
    _ = try connection.ask(.started, descriptor: DescriptorBox(pidfd))
  }

  consuming func leave() -> Connection { connection }
}

/// The live connections that lulld has kept for a program, as its start passes them on (sd_listen_fds(3)):
/// descriptors from 3 on, and what is known of them in a memfd behind the last one.
struct GivenLines {
  private static let first: Int32 = 3

  private let names: [String]
  private let descriptors: [DescriptorBox]
  private let description: DescriptorBox

  init?(of name: String, on connection: inout Connection) throws(Failure) {
    guard let file = try connection.ask(.kept(name: name, line: nil)).descriptor else { return nil }
    let limit = Limits.maximumKeptLines * Limits.maximumGuardLine
    let lines = KeptLine.lines(
      try explained(
        "the kept lines of \(name) cannot be read", brief: Files.readMemoryFile(file.raw, limit: limit)))
    var names: [String] = []
    var descriptors: [DescriptorBox] = []
    for (line, lineName) in zip(lines, KeptLine.names(lines)) {
      guard let descriptor = try connection.ask(.kept(name: name, line: line.id)).descriptor else { continue }
      names.append(lineName)
      descriptors.append(descriptor)
    }
    (self.names, self.descriptors, description) = (names, descriptors, file)
  }

  var environment: [[UInt8]] {
    [
      "LISTEN_FDS=\(names.count)", "LISTEN_FDNAMES=\(names.joined(separator: ":"))", SpawnRequest.pidEntry,
      "\(KeptLine.variable)=\(Self.first + Int32(names.count))",
    ].map { Array($0.utf8) }
  }

  var passed: [SpawnRequest.Passed] {
    (descriptors + [description]).enumerated().map { .init($1.raw, as: Self.first + Int32($0)) }
  }
}

struct CommandWords: Equatable {
  let arguments: [[UInt8]]
  var environment: [[UInt8]]

  init(arguments: [[UInt8]], environment: [[UInt8]]) {
    (self.arguments, self.environment) = (arguments, environment)
  }

  var name: String { String(decoding: arguments.first ?? [], as: UTF8.self) }

  /// The entries replace those with the same name.
  static func environment(_ own: [[UInt8]], adding entries: [[UInt8]]) -> [[UInt8]] {
    let names = entries.map { $0.prefix { $0 != UInt8(ascii: "=") } }
    return own.filter { !names.contains($0.prefix { $0 != UInt8(ascii: "=") }) } + entries
  }

  /// The bytes are read from the kernel, because `words` has lost bytes that are not UTF-8.
  static func ofThisProcess(words: [String], adding entries: [String] = []) throws(Failure) -> CommandWords {
    let count = words.first == "--" ? words.count - 1 : words.count
    guard count > 0 else { throw .usage("run: no command; write \"lull run -- COMMAND\"") }
    let limit = 16 << 20
    let own = try explained("cannot read the command line", Files.read("/proc/self/cmdline", limit: limit))
    let all = own.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    guard all.count > count else { throw .failed("the command line is longer than \(limit) bytes") }
    // The reason of a launch is no other program's.
    let prefix = Array(Launch.variablePrefix.utf8)
    let inherited = Identity.allEnvironment().filter { !$0.starts(with: prefix) }
    return CommandWords(
      arguments: all.suffix(count).map(Array.init),
      environment: environment(inherited, adding: entries.map { Array($0.utf8) }))
  }

  /// Each word is ended by NUL, as the request `command` hands them over.
  func words() throws(Failure) -> DescriptorBox {
    let bytes = Array(arguments.map { $0 + [0] }.joined())
    return DescriptorBox(
      try explained("cannot hand over the command", Files.memoryFile(name: "lull-command", bytes)))
  }
}

/// The command as a child of this process, in this session and process group: its terminal and its jobs are
/// the kernel's business.
struct ChildProcess {
  let pid: Int32
  let pidfd: DescriptorBox
  let execStatus: DescriptorBox
  private let gate: DescriptorBox

  /// The child waits at its gate before it becomes the command; `cgroup` is the directory in which it begins.
  init(
    _ command: CommandWords, cgroup: DescriptorBox?, setting: ChildSetting, mask: SignalMask
  ) throws(SystemError) {
    var request = SpawnRequest(arguments: command.arguments, environment: command.environment)
    request.cgroup = cgroup?.raw
    (request.standardInput, request.standardOutput, request.standardError) =
      (setting.input?.raw, setting.output?.raw, setting.output?.raw)
    request.directory = setting.directory?.raw
    request.passed = setting.lines?.passed ?? []
    request.inheritsDescriptors = true
    request.signals = .inherited(mask)
    request.isGated = true
    var spawned = try Process.spawn(request)
    guard let gate = spawned.gate.take() else { preconditionFailure("a child without a gate") }
    self.gate = DescriptorBox(gate)
    pid = spawned.pid
    // The child waits at its gate: what it may use is settled before it becomes the command.
    for limit in setting.limits { try? limit.set(of: pid) }
    (pidfd, execStatus) = spawned.boxes()
  }

  /// A child that was killed meanwhile does not read any more; its end is told like any other.
  func openGate() { if let gate = gate.take() { try? Process.openGate(gate) } }

  func hasStarted(_ command: String) throws(Failure) -> Bool {
    let result = try explained("\(command) cannot be started", Process.execResult(execStatus.raw))
    switch result {
    case .pending: return false
    case .started: return true
    case .failed(let error): throw .notExecuted(command, error)
    }
  }

  func move(into cgroup: DescriptorBox?) -> Bool {
    if let cgroup, (try? Cgroup.move(pid, to: "/proc/self/fd/\(cgroup.raw)")) != nil { return true }
    // Without a cgroup the daemon finds the command's orphans as children of this process.
    try? Process.becomeSubreaper()
    return false
  }

  func turnAway() {
    send(Signal.kill)
    gate.close()
    _ = try? Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: -1)
    _ = try? Process.waitStatus(pidfd.raw)
  }

  /// An end is told until ``reap()``.
  func nextChange() throws(SystemError) -> ChildChange? { try Process.nextChange(of: pid) }

  func newStop() throws(SystemError) -> Int32? {
    while let change = try nextChange() {
      switch change {
      case .stopped(let signal): return signal
      case .ended: return nil
      case .continued: continue
      }
    }
    return nil
  }

  var hasEnded: Bool { Process.hasEnded(pidfd.raw) }

  func reap() {
    _ = try? Process.waitStatus(pidfd.raw)
    reapOrphans()
  }

  /// This process may be the parent of the child's orphans.
  func reapOrphans() {
    for orphan in (try? Process.children(of: Identity.pid())) ?? [] where orphan != pid {
      guard let pidfd = try? Process.pidfdOpen(orphan) else { continue }
      _ = try? Process.waitStatus(pidfd.raw)
    }
  }
}

/// What a command has otherwise than this process; nil: what this process has.
struct ChildSetting {
  var input: DescriptorBox?
  var output: DescriptorBox?
  var directory: DescriptorBox?
  var limits: [ResourceLimit] = []
  var lines: GivenLines?
}

extension ChildProcess {
  func send(_ signal: Int32) { try? Process.sendSignal(pidfd.raw, signal) }

  var isStopped: Bool { (try? Process.isStopped(pid)) ?? false }

  /// True when a signal that came here has come to the child as well: it was sent to the process group, or
  /// the child's own program sent it, or it waits for a child that is frozen. Whether somebody else has sent
  /// it to the group or to this process alone, the kernel does not tell: then it counts as sent to this
  /// process alone.
  func hasGot(_ arrival: SignalArrival) -> Bool {
    guard let group = try? Process.processGroup(of: pid),
      group == (try? Process.processGroup(of: Identity.pid()))
    else { return false }
    return arrival.isFromKernel || isOwn(arrival.sender) || isPending(arrival.signal)
  }

  private func isPending(_ signal: Int32) -> Bool {
    guard let signals = try? ThreadSignals(of: pid, in: pid) else { return false }
    return signals.pending >> (signal - 1) & 1 == 1
  }

  private func isOwn(_ sender: Int32) -> Bool {
    var ancestor = sender
    for _ in 0..<64 where ancestor > 1 {
      if ancestor == pid { return true }
      guard let parent = try? Process.parentPid(of: ancestor) else { return false }
      ancestor = parent
    }
    return false
  }
}

/// The signals that `lull run` notices, blocked and read from a descriptor: those that end a process, those
/// of a terminal's jobs, and the news of its child. What was ignored at its start stays ignored, for it and
/// for the command.
struct ForwardedSignals: ~Copyable {
  private static var all: [Int32] {
    Signal.ending + [
      Signal.windowChange, Signal.terminalStop, Signal.terminalInput, Signal.terminalOutput, Signal.continue,
    ]
  }

  let before: SignalMask
  private let descriptor: SignalDescriptor

  init() throws(Failure) {
    let words = "cannot take signals"
    let before = try explained(words, SignalMask.current())
    // A child that was killed before its gate opened does not read from it.
    try explained(words, Signal.block([Signal.pipe]))
    let taken = Self.all.filter { !Signal.isIgnored($0) } + [Signal.child]
    let descriptor = try explained(words, SignalDescriptor(blocking: taken))
    self.before = before
    self.descriptor = descriptor
  }

  var raw: Int32 { descriptor.raw }

  func next() throws(Failure) -> SignalArrival? {
    try explained("cannot read signals", descriptor.nextArrival())
  }
}

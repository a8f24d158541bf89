import LullChannel
import LullSystem
import LullWire

/// The start of a command: the daemon makes room for it, this process starts it there, and the daemon takes
/// the program over before it becomes the command.
struct RunStart {
  let command: CommandBlock
  let request: Request.Run

  /// `signals` were blocked before: a Ctrl-C between the start and the first wait is not lost.
  ///
  /// Throws `command` when the command does not exist or cannot be executed.
  func start(over connection: consuming Connection, _ signals: consuming ForwardedSignals) throws(Failure)
    -> RunSession
  {
    try reserve(over: connection).start(.init(), signals, isJob: true)
  }

  func reserve(over connection: consuming Connection) throws(Failure) -> RunPlace {
    var connection = connection
    // One that returns comes again by itself, and serves others meanwhile.
    let place = try request.returns ? makeRoom(&connection) : connection.overRestart(makeRoom)
    guard let name = place.ok[.name] else { throw .unreadable(.missingField(Key.name.rawValue)) }
    var command = command
    if let folder = ProgramStateFolder.path(of: name) {
      command.environment = CommandBlock.environment(
        command.environment, adding: [Array("\(ProgramStateFolder.variable)=\(folder)".utf8)])
    }
    return RunPlace(
      command: command, request: request, name: name, cgroup: place.descriptor, connection: connection)
  }
}

extension RunStart {
  private func makeRoom(_ connection: inout Connection) throws(Failure) -> Connection.Response {
    _ = try connection.ask(.command(arguments: command.arguments.count), descriptor: command.words())
    return try connection.ask(.run(request))
  }
}

/// The room that the daemon has made for a command; given back when this value ends and no command was
/// started.
struct RunPlace: ~Copyable {
  private(set) var command: CommandBlock
  let request: Request.Run
  let name: String
  let cgroup: DescriptorBox?
  var connection: Connection

  /// Takes the connections that were kept for an earlier life of the program.
  mutating func takeLines() throws(Failure) -> GivenLines? {
    guard let lines = try GivenLines(of: name, on: &connection) else { return nil }
    command.environment = CommandBlock.environment(command.environment, adding: lines.environment)
    return lines
  }

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
    do throws(SystemError) {
      try Process.becomeSubreaper()
      var command = command
      let tag = Array("LULL_RUN=\(Identity.pid())".utf8)
      command.environment = CommandBlock.environment(command.environment, adding: [tag])
      return (try ChildProcess(command, cgroup: nil, setting: setting, mask: mask), false)
    } catch {
      throw .failed("\(command.name) cannot be started: \(error)")
    }
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
    // Without a cgroup the daemon finds the command's orphans as children of this process.
    if !isPlaced { try? Process.becomeSubreaper() }
    try handOver(child)
    return isPlaced
  }

  /// The child is the command from then on.
  mutating func handOver(_ child: ChildProcess) throws(Failure) {
    _ = try connection.ask(.started, descriptor: DescriptorBox(duplicate(child.pidfd)))
  }

  /// The connection, which is that of the command from now on.
  consuming func leave() -> Connection { connection }

  private func duplicate(_ pidfd: DescriptorBox) throws(Failure) -> Descriptor {
    do {
      return try .duplicating(pidfd.raw)
    } catch {
      throw .failed("\(command.name) cannot be started: \(error)")
    }
  }
}

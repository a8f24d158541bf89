import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The work of both executables before their loop.
package enum Startup {
  private static let guardUsage = """
    usage: lull-guard [--daemonize] [--no-boot] [--clock-rate R]
    Starts lulld, keeps what must outlive it, thaws every program and starts it
    again when it dies.
      --daemonize      return when the socket accepts
      --no-boot        start nothing that is installed
      --clock-rate R   as for lulld
      --version        print the version

    """

  package static func guardian(arguments: [String]) -> Int32 {
    run("lull-guard", arguments: arguments, usage: guardUsage) { guardian($0, arguments) }
  }

  package static func run(
    _ name: String, arguments: [String], usage: String, _ body: (DaemonOptions) -> Int32
  ) -> Int32 {
    do {
      let options = try DaemonOptions.parse(arguments, usage: usage)
      if let information = options.information { return print(information, of: name) }
      try options.checkInherited()
      // One that was started from /proc, since its file is gone or does not serve, is called "exe" by ps.
      Process.setName(name)
      // While it is stopped nobody but the kernel would notice that the other one of the pair has died.
      if options.isGuarded || options.adopts { try? Process.expectParentDeath(Signal.continue) }
      return body(options)
    } catch {
      StandardError.say("\(name): \(error)")
      return 64
    }
  }

  private static func print(_ text: String, of name: String) -> Int32 {
    do {
      try StandardStreams.write(Array((text + "\n").utf8), to: StandardStreams.output)
      return 0
    } catch {
      StandardError.say("\(name): the output cannot be written: \(error.message)")
      return 1
    }
  }

  /// Returns 1 where `body` throws, with the reason on standard error.
  package static func attempt(_ name: String, _ body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch {
      StandardError.say("\(name): \(error)")
      return 1
    }
  }
}

extension Startup {
  private static func guardian(_ options: DaemonOptions, _ arguments: [String]) -> Int32 {
    guard !options.daemonizes else { return daemonize(arguments) }
    do {
      return watch(try prepare(options))
    } catch {
      tell("lull-guard: \(error)", options.readyNumber)
      return 1
    }
  }

  private static func tell(_ why: String, _ ready: Int32?) {
    let text = Array((why + "\n").utf8)
    let reader = ready ?? StandardStreams.error
    StandardErrorLog.guardian.ignoring(.closed, try StandardStreams.write(text, to: reader))
  }

  private struct Failure: Error, CustomStringConvertible { let description: String }

  private struct Place {
    let options: DaemonOptions
    let socket: String
    let listener: DescriptorBox
    let lock: DescriptorBox
  }

  /// Prepares the runtime directory, the lock against a second daemon, the listening socket in place of a
  /// stale one, and the record by which others thaw what is left frozen: no daemon is to be without it.
  private static func prepare(_ options: DaemonOptions) throws -> Place {
    let path = RuntimeDirectory.path()
    let socket = RuntimeDirectory.controlSocket()
    try RuntimeDirectory.ensure()
    if !options.adopts, let obstacle = obstacle() { throw Failure(description: obstacle) }
    do {
      guard let lock = try lock(options, socket) else {
        throw Failure(description: "a daemon is already running in \(path); `lull status` asks it")
      }
      if !options.adopts { releaseLeftovers() }
      let listener = try options.adopts ? Descriptor(owning: DaemonOptions.listenerNumber) : listen(socket)
      return try Place(
        options: completed(options, lock: lock.raw), socket: socket, listener: DescriptorBox(listener),
        lock: DescriptorBox(lock))
    } catch let error as SystemError {
      throw Failure(description: "\(path): \(error)")
    }
  }

  private static func obstacle() -> String? {
    let fewest = DaemonOptions.fewestOpenFiles
    if let most = try? ResourceLimits.mostOpenFiles(), most < fewest {
      return "only \(most) files may be open (ulimit -n); lulld needs \(fewest)"
    }
    guard let daemon = try? Process.sibling("lulld"), Files.exists(daemon) else {
      return "lulld is not beside lull-guard: install both in one folder"
    }
    return nil
  }

  private static func listen(_ socket: String) throws(SystemError) -> Descriptor {
    if Files.exists(socket) { try Files.unlink(socket) }
    return try UnixSocket.listen(path: socket)
  }

  private static func watch(_ place: Place) -> Int32 {
    let inherited = InheritedDescriptors()
    return attempt("lull-guard") { () throws(SystemError) in
      guard let listener = place.listener.take() else { return 1 }
      let guardian = try Guard(
        options: place.options, listener: listener, socketPath: place.socket,
        daemonPath: Process.sibling("lulld"))
      guardian.takeBack(inherited)
      if let ready = place.options.readyNumber { _ = Descriptor(owning: ready) }
      defer { place.lock.close() }
      return try guardian.run()
    }
  }

  /// The options with what this process knows of itself. A guard of a lulld that runs was told everything.
  private static func completed(_ options: DaemonOptions, lock: Int32) throws(SystemError) -> DaemonOptions {
    var options = options
    options.openFileLimit = StandardErrorLog.guardian.ignoring([], try ResourceLimits.openFiles())
    (options.isLocked, options.lockSource) = (true, lock)
    guard !options.adopts else { return options }
    options.service = ServiceOptions(
      pid: Identity.pid(), starter: options.service.starter, at: Clock.realtime())
    if options.cgroupRoot == nil {
      let place = Identity.setting("LULL_CGROUP_ROOT")
      options.cgroupRoot = StandardErrorLog.guardian.ignoring(
        .removed, try FrozenPrograms.root(runtimeDirectory: RuntimeDirectory.path(), override: place))
    }
    try Leftovers().begin(root: options.cgroupRoot)
    return options
  }
}

extension Startup {
  /// The lock of the runtime directory. It is held while lull-guard or lulld lives, because both have the
  /// same open file. Nil when another pair holds it.
  private static func lock(_ options: DaemonOptions, _ socket: String) throws(SystemError) -> Descriptor? {
    if options.adopts, options.isLocked { return Descriptor(owning: DaemonOptions.lockNumber) }
    let (path, policy, start) = (Leftovers().lockPath, SupervisionPolicy(), Clock.boottime())
    while true {
      if let lock = try Files.lock(path) { return lock }
      // A pair that lives listens, or will soon. One that was killed listens until the kernel has closed its
      // files; any other process holds the lock only while it thaws.
      let patience = UnixSocket.isListening(path: socket) ? policy.killedListening : policy.leftoverTime
      guard Clock.boottime() - start < patience.nanoseconds else { return nil }
      Process.rest(microseconds: 10_000)
    }
  }

  private static func releaseLeftovers() {
    let released = Leftovers().release()
    guard !released.isEmpty else { return }
    StandardError.say("lull-guard: \(released.text)")
  }
}

extension Startup {
  private static func daemonize(_ arguments: [String]) -> Int32 {
    attempt("lull-guard") { () throws(SystemError) in
      let (own, other) = try UnixSocket.pair()
      let number: Int32 = 3
      let path = try Process.executablePath()
      let rest = arguments.filter { $0 != "--daemonize" }
      // A starter that the arguments name stands behind the usual one.
      let usual = [DaemonLauncher.starterOption, Vocabulary.Starter.use.rawValue]
      var request = SpawnRequest([path] + usual + rest + ["--ready", "\(number)"])
      request.directory = try Files.openDirectory("/").take()
      let null = try Files.openNull()
      request.standardInput = null.raw
      request.standardOutput = null.raw
      request.standardError = null.raw
      request.passed = [.init(other.raw, as: number)]
      request.group = .newSession
      _ = try Process.spawn(request)
      other.close()
      let patience = SupervisionPolicy().daemonStarting
      let milliseconds = Int32(clamping: patience.nanoseconds / 1_000_000)
      var buffer = ReceiveBuffer(capacity: 4096)
      while true {
        _ = try Socket.poll(own.raw, .readable, timeoutMilliseconds: milliseconds)
        switch try Socket.read(own.raw, into: &buffer) {
        case .bytes:
          try StandardStreams.write(Array(buffer.received), to: StandardStreams.error)
          return 1
        case .endOfStream: return 0
        case .wouldBlock:
          StandardError.say("lull-guard: lulld did not start within \(Int(patience.seconds)) s")
          return 1
        }
      }
    }
  }
}

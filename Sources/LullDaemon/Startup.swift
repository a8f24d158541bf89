import LullSystem

/// What both executables do before their loop.
public enum Startup {
  private static let daemonUsage = """
    usage: lulld [--clock-rate R]
    The daemon of Lull: freezes background programs and wakes them for their calls. Started by hand it is
    its own guard, which starts the daemon again should it die; SIGTERM ends both, with every program thawed.
      --clock-rate R   the engine's clock runs R times as fast (1 to 1000), to try 600 s by hand
      --version        print the version
    Environment: LULL_RUNTIME_DIR (where the socket "control" is made), LULL_CGROUP_ROOT (where the programs' cgroups are made),
      LULL_SOUND_DEVICE (the ALSA device of lull-audio, "default" without it), LULL_SOUND_CLOSE_AFTER (seconds without sound until it is closed, 10 without it).

    """
  private static let guardUsage = """
    usage: lull-guard [--daemonize] [--clock-rate R]
    Starts lulld, keeps what must outlive it, thaws every program and starts it again when it dies.
      --daemonize      return when the socket accepts
      --clock-rate R   as for lulld
      --version        print the version

    """

  /// Runs lulld; returns its exit status.
  public static func daemon(arguments: [String]) -> Int32 {
    run("lulld", arguments, usage: daemonUsage) { options in
      // The same file as the daemon's: both processes share its pages, and no second program has to be loaded.
      guard options.isGuarded else { return guardian(arguments: arguments) }
      var options = options
      options.openFileLimit = try? Limits.openFiles()
      let files = (try? Limits.raiseOpenFiles()) ?? 1024
      options.limitClients(openFiles: files)
      Alarm.set(seconds: Daemon.longestTurn)
      return attempt("lulld") { () throws(SystemError) in
        let daemon = try Daemon(
          options: options, listener: Descriptor(owning: DaemonOptions.listenerNumber),
          guardLink: Descriptor(owning: DaemonOptions.linkNumber))
        try daemon.run()
        return 0
      }
    }
  }

  /// Runs lull-guard; returns its exit status.
  public static func guardian(arguments: [String]) -> Int32 {
    run("lull-guard", arguments, usage: guardUsage) { options in
      guard !options.daemonizes else { return daemonize(arguments) }
      switch prepare(options) {
      case .failure(let why):
        tell(why, options.readyNumber)
        return 1
      case .success(let place):
        return watch(options, place)
      }
    }
  }

  private static func run(
    _ name: String, _ arguments: [String], usage: String, _ body: (DaemonOptions) -> Int32
  ) -> Int32 {
    do {
      let options = try DaemonOptions.parse(arguments, usage: usage)
      guard let information = options.information else { return body(options) }
      try? StandardStreams.write(Array((information + "\n").utf8), to: StandardStreams.output)
      return 0
    } catch {
      complain("\(name): \(error)")
      return 64
    }
  }

  private static func attempt(_ name: String, _ body: () throws(SystemError) -> Int32) -> Int32 {
    do {
      return try body()
    } catch {
      complain("\(name): \(error)")
      return 1
    }
  }

  /// A terminal that was held (Ctrl-S) must not hold the one who complains.
  static func complain(_ text: String) {
    let ready = try? Socket.poll(StandardStreams.error, .writable, timeoutMilliseconds: 0)
    guard ready?.contains(.writable) == true else { return }
    try? StandardStreams.write(Array((text + "\n").utf8), to: StandardStreams.error)
  }

  /// The signals that mean "stop in good order": all that would end the process. What whoever started it has
  /// it ignore (`nohup`, a script's `&`) it goes on ignoring.
  static func endingSignals() -> [Int32] {
    let chosen = [Signal.hangUp, Signal.interrupt, Signal.quit]
    return Signal.ending.filter { !chosen.contains($0) || !Signal.isIgnored($0) }
  }

  /// Tells the reader of the readiness descriptor, or standard error, why there will be no daemon.
  private static func tell(_ why: String, _ ready: Int32?) {
    try? StandardStreams.write(Array((why + "\n").utf8), to: ready ?? StandardStreams.error)
  }

  /// The program of that name beside this one.
  static func sibling(_ name: String) throws(SystemError) -> String {
    let own = try Process.executablePath()
    let folder = own.lastIndex(of: "/").map { own[...$0] } ?? ""
    return folder + name
  }

  private struct Place {
    let socket: String
    let listener: DescriptorBox
    let lock: DescriptorBox
  }

  /// The runtime directory, the lock against a second daemon, and the listening socket in place of a stale one.
  private static func prepare(_ options: DaemonOptions) -> Outcome {
    let path = RuntimeDirectory.path()
    let socket = RuntimeDirectory.controlSocket()
    do {
      try RuntimeDirectory.ensure()
    } catch {
      return .failure("lull-guard: \(error)")
    }
    do {
      guard let lock = try lock(options, socket) else {
        return .failure("lull-guard: a daemon is already running in \(path); `lull status` asks it")
      }
      if !options.adopts { releaseLeftovers() }
      let listener = try options.adopts ? Descriptor(owning: DaemonOptions.listenerNumber) : listen(socket)
      return .success(Place(socket: socket, listener: DescriptorBox(listener), lock: DescriptorBox(lock)))
    } catch {
      return .failure("lull-guard: \(path): \(error)")
    }
  }

  private static func listen(_ socket: String) throws(SystemError) -> Descriptor {
    if Files.exists(socket) { try Files.unlink(socket) }
    return try UnixSocket.listen(path: socket)
  }

  private enum Outcome {
    case success(Place)
    case failure(String)
  }

  private static func watch(_ options: DaemonOptions, _ place: Place) -> Int32 {
    attempt("lull-guard") { () throws(SystemError) in
      var options = options
      options.openFileLimit = try? Limits.openFiles()
      options.cgroupRoot =
        options.cgroupRoot
        ?? (try? CgroupPlace.directory(
          runtimeDirectory: RuntimeDirectory.path(), override: Identity.environment("LULL_CGROUP_ROOT")))
      if !options.adopts { try Leftovers().begin(root: options.cgroupRoot) }
      (options.isLocked, options.lockSource) = (true, place.lock.raw)
      guard let listener = place.listener.take() else { return 1 }
      let keeper = try Guard(
        options: options, listener: listener, socketPath: place.socket, daemonPath: sibling("lulld"))
      if let ready = options.readyNumber { _ = Descriptor(owning: ready) }
      defer { place.lock.close() }
      return try keeper.run()
    }
  }

  /// Starts the guard in a session of its own and waits until it listens or says why not.
  private static func daemonize(_ arguments: [String]) -> Int32 {
    attempt("lull-guard") { () throws(SystemError) in
      let (own, other) = try UnixSocket.pair()
      let number: Int32 = 3
      let path = try Process.executablePath()
      let rest = arguments.filter { $0 != "--daemonize" }
      var request = SpawnRequest([path] + rest + ["--ready", "\(number)"])
      request.environment = Identity.allEnvironment()
      request.directory = try Files.openDirectory("/").take()
      let null = try Files.openNull()
      request.standardInput = null.raw
      request.standardOutput = null.raw
      request.standardError = null.raw
      request.passed = [.init(other.raw, as: number)]
      request.group = .newSession
      _ = try Process.spawn(request)
      other.close()
      var buffer = ReceiveBuffer(capacity: 4096)
      while true {
        _ = try Socket.poll(own.raw, .readable, timeoutMilliseconds: 5000)
        switch try Socket.read(own.raw, into: &buffer) {
        case .bytes:
          try StandardStreams.write(Array(buffer.received), to: StandardStreams.error)
          return 1
        case .endOfStream: return 0
        case .wouldBlock:
          complain("lull-guard: lulld did not start within 5 s")
          return 1
        }
      }
    }
  }
}

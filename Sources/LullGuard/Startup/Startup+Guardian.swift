import LullChannel
import LullSystem

extension Startup {
  static func guardian(_ options: DaemonOptions, _ arguments: [String]) -> Int32 {
    guard !options.daemonizes else { return daemonize(arguments) }
    switch prepare(options) {
    case .failure(let why):
      tell(why, options.readyNumber)
      return 1
    case .success(let place):
      return watch(place)
    }
  }

  /// The reader of the readiness descriptor, or of standard error, is told why there will be no daemon.
  private static func tell(_ why: String, _ ready: Int32?) {
    let text = Array((why + "\n").utf8)
    Guard.log.ignoring(.closed, try StandardStreams.write(text, to: ready ?? StandardStreams.error))
  }

  private struct Place {
    let options: DaemonOptions
    let socket: String
    let listener: DescriptorBox
    let lock: DescriptorBox
  }

  /// Prepares the runtime directory, the lock against a second daemon, the listening socket in place of a
  /// stale one, and the record by which others thaw what is left frozen: no daemon is to be without it.
  private static func prepare(_ options: DaemonOptions) -> Outcome {
    let path = RuntimeDirectory.path()
    let socket = RuntimeDirectory.controlSocket()
    do {
      try RuntimeDirectory.ensure()
    } catch {
      return .failure("lull-guard: \(error)")
    }
    if !options.adopts, let obstacle = obstacle() { return .failure("lull-guard: \(obstacle)") }
    do {
      guard let lock = try lock(options, socket) else {
        return .failure("lull-guard: a daemon is already running in \(path); `lull status` asks it")
      }
      if !options.adopts { releaseLeftovers() }
      let listener = try options.adopts ? Descriptor(owning: DaemonOptions.listenerNumber) : listen(socket)
      return try .success(
        Place(
          options: completed(options, lock: lock.raw), socket: socket, listener: DescriptorBox(listener),
          lock: DescriptorBox(lock)))
    } catch {
      return .failure("lull-guard: \(path): \(error)")
    }
  }

  private static func obstacle() -> String? {
    let fewest = DaemonOptions.fewestOpenFiles
    if let most = try? Limits.mostOpenFiles(), most < fewest {
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

  private enum Outcome {
    case success(Place)
    case failure(String)
  }

  private static func watch(_ place: Place) -> Int32 {
    let inherited = InheritedDescriptors()
    return attempt("lull-guard") { () throws(SystemError) in
      guard let listener = place.listener.take() else { return 1 }
      let keeper = try Guard(
        options: place.options, listener: listener, socketPath: place.socket,
        daemonPath: Process.sibling("lulld"))
      keeper.takeBack(inherited)
      if let ready = place.options.readyNumber { _ = Descriptor(owning: ready) }
      defer { place.lock.close() }
      return try keeper.run()
    }
  }

  /// The options with what this process knows of itself. A guard of a lulld that runs was told everything.
  private static func completed(_ options: DaemonOptions, lock: Int32) throws(SystemError) -> DaemonOptions {
    var options = options
    options.openFileLimit = Guard.log.ignoring([], try Limits.openFiles())
    (options.isLocked, options.lockSource) = (true, lock)
    guard !options.adopts else { return options }
    options.service = ServiceOptions(
      pid: Identity.pid(), starter: options.service.starter, at: Clock.realtime())
    if options.cgroupRoot == nil {
      let place = Identity.setting("LULL_CGROUP_ROOT")
      options.cgroupRoot = Guard.log.ignoring(
        .removed, try FrozenPrograms.root(runtimeDirectory: RuntimeDirectory.path(), override: place))
    }
    try Leftovers().begin(root: options.cgroupRoot)
    return options
  }
}

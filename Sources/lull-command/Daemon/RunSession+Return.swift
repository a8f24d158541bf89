import LullChannel
import LullSystem
import LullWire

// A command that outlives its daemon, and the next daemon. That has found the command in the ledger, and is
// attached to; one that has not takes it over. Nothing here waits for a daemon: the command's parent has
// signals and output to pass on.
extension RunSession {
  /// The time without a daemon after which that is told, in nanoseconds: a service manager may start its
  /// daemon anew.
  private static let silence: Int64 = 2_000_000_000
  /// The time that leftovers may take to be thawed, in nanoseconds: processes that are killed hold their lock
  /// a moment longer.
  private static let thawing: Int64 = 1_000_000_000

  mutating func lose() {
    connection.unwatch(in: reactor)
    (isManaged, hasThawed, lostAt) = (false, false, Clock.boottime())
    guard !child.hasEnded else { return attach() }
    // It may come before anybody watches for it.
    nextDaemon = try? NextDaemon(in: reactor)
    attach()
    try? reactor.arm(at: lostAt + Self.silence)
  }

  mutating func lookForDaemon() {
    guard !isManaged else { return }
    if isAttaching { takeAnswer() }
    let isDue = (try? reactor.takeExpiration()) == true
    let hasChanged = reactor.events.contains { reactor[$0]?.source == .nextDaemon }
    if hasChanged { nextDaemon?.changed() }
    if isDue || hasChanged, !isManaged, !isAttaching, nextDaemon?.mayHaveCome == true { attach() }
    guard isDue, !isManaged, !isToldAlone else { return }
    guard Clock.boottime() >= lostAt + Self.silence else {
      if reactor.armed == nil { try? reactor.arm(at: lostAt + Self.silence) }
      return
    }
    // Where one of the pair was stopped when the other one died, it holds the lock, and takes connections.
    guard !Leftover.continueDaemon() else {
      try? reactor.arm(at: Clock.boottime() + Self.silence)
      return
    }
    isToldAlone = true
    Output.complain("the daemon is gone; \(name) (pid \(child.pid)) runs on without it and does not sleep")
  }

  /// Asks the daemon that runs, if there is one, whether it knows the command. Where both processes of the
  /// one before have died, what they left asleep is unfrozen here: no other process may be there to do it.
  private mutating func attach() {
    isAttaching = false
    let leftovers = Leftovers()
    let deadline = Clock.boottime() + Self.thawing
    while true {
      do throws(Failure) { return try ask() } catch {}
      // Once: it changes the directory whose changes bring this process here.
      if !hasThawed, let released = leftovers.releaseIfOrphaned() {
        hasThawed = true
        Leftover.tell(released)
        break
      }
      guard leftovers.isWatched, Clock.boottime() < deadline else { break }
      Daemon.pause()
    }
    // The race: the socket of a daemon is there before it listens.
    if nextDaemon?.mayHaveCome == true { nextDaemon?.brokeOff(in: reactor) }
  }

  private mutating func ask() throws(Failure) {
    var daemon = try Daemon.connect()
    try daemon.post(.attach(name: name))
    try daemon.watch(in: reactor, as: .daemon)
    connection = daemon
    isAttaching = true
  }

  mutating func takeAnswer() {
    do throws(Failure) {
      guard try connection.takeAnswer() != nil else { return }
      wasFound()
    } catch {
      isAttaching = false
      connection.unwatch(in: reactor)
      switch error {
      case .connectionLost: attach()
      case .refused(.noSuchProgram, _): returnToDaemon()
      default: nextDaemon?.brokeOff(in: reactor)
      }
    }
  }

  private mutating func wasFound() {
    (isManaged, isAttaching) = (true, false)
    daemons += 1
    try? reactor.arm(at: nil)
    nextDaemon?.unwatch(in: reactor)
    nextDaemon = nil
    guard isToldAlone else { return }
    isToldAlone = false
    Output.complain("a daemon runs again, and \(name) (pid \(child.pid)) is its program")
  }

  /// Has the daemon that runs take the command over as it is, with all its processes.
  private mutating func returnToDaemon() {
    guard !child.hasEnded else { return }
    do throws(Failure) {
      try handOver()
      wasFound()
    } catch {
      // What it refuses changes nothing: the command runs on.
      if case .refused = error { nextDaemon?.noteRefusal() } else { nextDaemon?.brokeOff(in: reactor) }
    }
  }

  /// The time that a daemon may take to answer, in nanoseconds. Many return to it at once when it begins; one
  /// that hangs is ended long before.
  private static let returning: Int64 = 30_000_000_000

  private mutating func handOver() throws(Failure) {
    var request = origin.request
    (request.name, request.returns) = (name, true)
    var daemon = try Daemon.connect()
    daemon.patience = Self.returning
    var place = try RunStart(command: origin.command, request: request).reserve(over: daemon)
    place.connection.patience = Self.returning
    isPlaced = move(into: place.cgroup)
    try place.handOver(child)
    connection = place.leave()
    connection.patience = Connection.bound
    try connection.watch(in: reactor, as: .daemon)
  }

  private func move(into cgroup: DescriptorBox?) -> Bool {
    guard child.move(into: cgroup), let cgroup else { return false }
    // Where the command's orphans are children of this process, they go with it. A shell's job may have had
    // children of its own before it became `lull run`.
    let command = child.pid
    let hasOthers = isJob && isPlaced
    let roots = { hasOthers ? [command] : (try? Descendants.children(of: Identity.pid())) ?? [command] }
    Descendants.each(of: roots) { pid in
      // One that has ended meanwhile is nowhere.
      try? Cgroup.move(pid, to: "/proc/self/fd/\(cgroup.raw)")
    }
    return true
  }
}

/// The wait for the next daemon of a command that no daemon knows: nothing is done until the runtime
/// directory changes, or what broke off is due again.
struct NextDaemon: ~Copyable {
  /// The wait after a return that broke off, and after many, in nanoseconds.
  private static let firstWait: Int64 = 500_000_000, lastWait: Int64 = 60_000_000_000
  /// The returns that are tried again by time, for each change of the directory.
  private static let mostTries = 16

  private let changes: FileWatch
  private let registration: Slot
  private let path = RuntimeDirectory.controlSocket()
  /// The socket of a daemon that has refused the command, and is not asked again.
  private var refused: FileVersion?
  private var failures = 0

  init(in reactor: Reactor<RunSession.Source>) throws(SystemError) {
    let changes = try FileWatch()
    try changes.add(RuntimeDirectory.path(), .names)
    registration = try reactor.add(changes.raw, .readable, as: .nextDaemon)
    self.changes = changes
  }

  func unwatch(in reactor: Reactor<RunSession.Source>) { reactor.remove(registration) }

  /// The directory has changed: what comes there is tried as often as ever.
  mutating func changed() {
    try? changes.drain()
    failures = 0
  }

  var mayHaveCome: Bool { FileVersion(path).map { $0 != refused } ?? false }

  mutating func noteRefusal() { refused = FileVersion(path) }

  /// The return broke off, though there is a socket, or nobody listens there yet: it is tried again after a
  /// while, later and later.
  mutating func brokeOff(in reactor: Reactor<RunSession.Source>) {
    failures += 1
    guard failures <= Self.mostTries else { return }
    let wait = min(Self.lastWait, Self.firstWait << Int64(failures - 1))
    try? reactor.arm(at: Clock.boottime() + wait)
  }
}

enum Descendants {
  static func of(_ roots: [Int32]) -> [Int32] {
    var found = roots
    var index = 0
    while index < found.count {
      found += ((try? children(of: found[index])) ?? []).filter { !found.contains($0) }
      index += 1
    }
    return found
  }

  /// The children of a process, without the keepers of other programs and without the daemon: as orphans they
  /// become children of a keeper whose program, or which itself, has started them.
  static func children(of pid: Int32) throws(SystemError) -> [Int32] {
    try Process.children(of: pid).filter { !isOfLull($0) }
  }

  /// True for a keeper or the daemon of this runtime directory. The names only say where it is worth to look:
  /// any program may have one. A keeper is who listens at one of the keepers' sockets, and the daemon has
  /// written down its processes.
  private static func isOfLull(_ pid: Int32) -> Bool {
    switch try? Process.commandName(of: pid) {
    case "lull-guard", "lulld":
      Leftovers().record()?.watchers.contains { $0.pid == pid && $0.exists } ?? false
    case "lull": isKeeper(pid)
    default: false
    }
  }

  private static func isKeeper(_ pid: Int32) -> Bool {
    let folder = RuntimeDirectory.keepers()
    let entries = (try? Files.entries(of: Array(folder.utf8))) ?? []
    return entries.contains { entry in
      UnixSocket.listener(path: "\(folder)/\(String(decoding: entry.name, as: UTF8.self))")?.pid == pid
    }
  }

  /// Does something with each of the processes once, also with those that are forked meanwhile.
  static func each(of roots: () -> [Int32], _ body: (Int32) -> Void) {
    var known: Set<Int32> = []
    for _ in 0..<passes {
      let new = of(roots()).filter { known.insert($0).inserted }
      guard !new.isEmpty else { return }
      for pid in new { body(pid) }
    }
  }

  private static let passes = 8
}

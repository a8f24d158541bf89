import LullChannel
import LullSystem
import LullWire

// A command that outlives its daemon, and the next daemon.
extension RunSession {
  /// Goes on without the daemon that has ended, and with the next one as soon as that accepts.
  mutating func runOn() {
    guard !child.hasEnded else { return }
    nextDaemon = try? NextDaemon(in: reactor)
    // It may have come before anybody watched for it.
    returnToDaemon()
    if !isManaged {
      Output.complain("the daemon is gone; \(name) (pid \(child.pid)) runs on without it and does not sleep")
    }
  }

  /// Returns to a daemon that has come.
  mutating func lookForDaemon() {
    guard !isManaged else { return }
    let isDue = (try? reactor.takeExpiration()) == true
    if reactor.events.contains(where: { reactor[$0]?.source == .nextDaemon }) {
      nextDaemon?.changed()
    } else if !isDue {
      return
    }
    returnToDaemon()
    if isManaged { Output.complain("a daemon runs again, and \(name) (pid \(child.pid)) is its program") }
  }

  /// The time that a daemon may take to answer, in nanoseconds. Many return to it at once when it begins; one
  /// that hangs is ended long before.
  private static let returning: Int64 = 30_000_000_000

  private mutating func returnToDaemon() {
    guard nextDaemon?.hasCome(reactor) == true else { return }
    // What it refuses changes nothing: the command runs on.
    try? comeBack()
  }

  /// Has the daemon that runs take the command over as it is, with all its processes. One that knows it
  /// already is asked for nothing.
  ///
  /// Throws `refused` with the daemon's reason, and `noDaemon`.
  mutating func comeBack() throws(Failure) {
    // A daemon that has ended unnoticed is noticed here.
    if isManaged, pass(.status(name: name))?.isEmpty != false { isManaged = false }
    guard !isManaged else { return }
    // The race: it has been asked to while it stood still, and its command has ended since.
    guard !child.hasEnded else { throw .failed("\(name) has ended") }
    do throws(Failure) {
      try handOver()
    } catch {
      switch error {
      case .refused: nextDaemon?.noteRefusal()
      case .noDaemon: break
      default: nextDaemon?.brokeOff(in: reactor)
      }
      throw error
    }
    isManaged = true
    daemons += 1
    nextDaemon?.unwatch(in: reactor)
    nextDaemon = nil
  }

  private mutating func handOver() throws(Failure) {
    var request = origin.request
    (request.name, request.returns) = (name, true)
    var daemon = try Daemon.connect()
    daemon.patience = Self.returning
    var place = try RunStart(command: origin.command, request: request).reserve(over: daemon)
    place.connection.patience = Self.returning
    isPlaced = move(into: place.cgroup)
    // Without a cgroup the daemon finds the command's orphans as children of this process.
    if !isPlaced { try? Process.becomeSubreaper() }
    try place.handOver(child)
    connection.unwatch(in: reactor)
    connection = place.leave()
    connection.patience = Connection.bound
    try connection.watch(in: reactor, as: .daemon)
  }

  /// Moves the command's processes into a cgroup; false where the kernel refuses that.
  private func move(into cgroup: DescriptorBox?) -> Bool {
    guard let cgroup else { return false }
    let path = "/proc/self/fd/\(cgroup.raw)"
    do {
      try Cgroup.move(child.pid, to: path)
    } catch {
      return false
    }
    // Where the command's orphans are children of this process, they go with it. A shell's job may have had
    // children of its own before it became `lull run`.
    let command = child.pid
    let hasOthers = isJob && isPlaced
    let roots = { hasOthers ? [command] : (try? Descendants.children(of: Identity.pid())) ?? [command] }
    Descendants.each(of: roots) { pid in
      // One that has ended meanwhile is nowhere.
      try? Cgroup.move(pid, to: path)
    }
    return true
  }
}

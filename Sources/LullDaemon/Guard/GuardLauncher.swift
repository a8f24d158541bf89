import LullChannel
import LullSystem
import LullWire

extension GuardProcess {
  /// A guard, or a process that is to become one.
  struct Candidate {
    let link: MessageChannel
    let process: HelperProcess?
    /// The moment at which the process was started.
    let since: Int64
    /// Set for a process that lulld started in place of a dead guard; tells whether it could be executed.
    var execStatus: DescriptorBox?
    /// True for a guard that has become this one, and has not said yet that it watches.
    var isSuccessor = false
  }

  /// Starts a lull-guard that replaces a dead one. The new guard serves no clients: it keeps `listener` for
  /// the next lulld.
  static func launch(
    _ program: Program, _ options: DaemonOptions, listener: Int32, epoll: Int32
  ) throws(SystemError) -> Candidate {
    let (own, other) = try UnixSocket.pair()
    let this = try Process.pidfdOpen(Identity.pid())
    // lulld is a guard too, where nobody guards it.
    let path =
      switch program {
      case .installed: try HelperProcess.path(of: DaemonOptions.guardName)
      case .own: "/proc/self/exe"
      }
    var request = SpawnRequest([path, "--adopt"] + options.shared)
    request.environment = Identity.allEnvironment()
    let numbers = AdoptedNumbers.usual
    request.passed = [
      .init(listener, as: numbers.listener), .init(other.raw, as: numbers.link),
      .init(this.raw, as: numbers.child), .init(epoll, as: numbers.epoll),
    ]
    request.passed += options.lockPassed
    request.group = .newSession
    request.openFileLimit = options.openFileLimit
    let (process, execStatus) = try HelperProcess.spawn(request)
    return Candidate(
      link: MessageChannel(guardLink: own), process: process, since: Clock.boottime(), execStatus: execStatus)
  }

  /// The guard that started this process, which made the pair of sockets. A guard in another pid namespace
  /// cannot be signalled from this one.
  static func first(_ link: DescriptorBox, _ journal: Journal) -> Candidate {
    var process: HelperProcess?
    if let pidfd = journal.ignoring(.ended, DescriptorBox(try UnixSocket.peerPidfd(of: link.raw))),
      Process.isNumbered(pidfd.raw), let peer = journal.ignoring([], try UnixSocket.peer(of: link.raw))
    {
      process = HelperProcess(pid: peer.pid, pidfd: pidfd)
    }
    return Candidate(link: MessageChannel(guardLink: link), process: process, since: Clock.boottime())
  }
}

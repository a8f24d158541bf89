import LullChannel
import LullEngine
import LullGuard
import LullSystem

/// A lull-guard, or a process that is to become one.
struct GuardProcess {
  typealias Launcher = (_ start: Start) throws(SystemError) -> GuardProcess

  enum Program: Equatable {
    case installed
    /// The program of this process, even when its file is gone, for when the installed one ends again and
    /// again.
    case own
    case of(folder: String)
  }

  let link: MessageChannel
  let process: HelperProcess?
  /// On CLOCK_BOOTTIME.
  let since: Int64
  /// Tells whether a process that lulld started in place of another guard could be executed.
  var execStatus: DescriptorBox?

  /// The reason why it could not be executed.
  func startFailure(_ journal: Journal) -> SystemError? {
    guard let start = execStatus,
      case .failed(let error)? = journal.ignoring([], try Process.execResult(start.raw))
    else { return nil }
    return error
  }

  struct Start {
    let program: Program
    /// By the epoll set of this process the guard sees whether events wait.
    let epoll: Int32
    var predecessor: Int32?
  }

  /// The new lull-guard takes over this process. It serves no clients: it keeps `listener` for the next
  /// lulld.
  static func launch(
    _ start: Start, _ options: DaemonOptions, listener: Int32
  ) throws(SystemError) -> GuardProcess {
    let (own, other) = try UnixSocket.pair()
    let this = try Process.pidfdOpen(Identity.pid())
    // lulld is a guard too, where nobody guards it.
    let path =
      switch start.program {
      case .installed: try Process.sibling(DaemonOptions.guardName)
      case .own: "/proc/self/exe"
      case .of(let folder): "\(folder)/\(DaemonOptions.guardName)"
      }
    let replaces = start.predecessor == nil ? [] : ["--replaces"]
    var request = SpawnRequest([path, "--adopt"] + replaces + options.shared)
    request.environment = Identity.allEnvironment()
    request.passed = [
      .init(listener, as: DaemonOptions.listenerNumber), .init(other.raw, as: DaemonOptions.linkNumber),
      .init(this.raw, as: DaemonOptions.childNumber), .init(start.epoll, as: DaemonOptions.epollNumber),
    ]
    request.passed += options.lockPassed
    if let predecessor = start.predecessor {
      request.passed.append(.init(predecessor, as: DaemonOptions.predecessorNumber))
    }
    request.group = .newSession
    request.openFileLimit = options.openFileLimit
    let (process, execStatus) = try HelperProcess.spawn(request)
    return GuardProcess(
      link: MessageChannel(guardLink: own), process: process, since: Clock.boottime(), execStatus: execStatus)
  }

  /// The guard that started this process has made the pair of sockets. A guard in another pid namespace
  /// cannot be signalled from this one.
  static func first(_ link: DescriptorBox, _ journal: Journal) -> GuardProcess {
    var process: HelperProcess?
    if let pidfd = journal.ignoring(.ended, DescriptorBox(try UnixSocket.peerPidfd(of: link.raw))),
      Process.isNumbered(pidfd.raw), let peer = journal.ignoring([], try UnixSocket.peer(of: link.raw))
    {
      process = HelperProcess(pid: peer.pid, pidfd: pidfd)
    }
    return GuardProcess(link: MessageChannel(guardLink: link), process: process, since: Clock.boottime())
  }
}

import LullChannel
import LullSystem
import LullWire

final class KeeperConnection {
  /// The time that a keeper may take to answer, in nanoseconds.
  static let bound: Int64 = 5_000_000_000

  let channel: MessageChannel
  private let name: String
  /// Nil for the end of a pair.
  private let process: KeeperIdentity?
  private var buffer = ReceiveBuffer(capacity: Limits.maximumLine)

  /// Nil when the program has no keeper. One that was stopped goes on: nobody but it can answer.
  init?(_ name: String) throws(Failure) {
    self.name = name
    do {
      let socket = DescriptorBox(try UnixSocket.connect(path: KeeperFolders.socket(of: name)))
      process = try? KeeperIdentity(behind: socket)
      channel = MessageChannel(socket, overload: .dropPeer)
    } catch {
      if error.isNoSuchFile || error.isConnectionRefused { return nil }
      throw .failed("\(name): no connection to its keeper: \(error)")
    }
    if let process, process.goesOn() {
      Output.complain("the keeper of \(name) was stopped; it was continued (process \(process.pid))")
    }
  }

  /// One end of a pair of sockets whose other end a keeper has got.
  init(_ name: String, end: DescriptorBox) {
    self.name = name
    process = nil
    channel = MessageChannel(end, overload: .dropPeer)
  }

  func send(_ message: KeeperMessage) { channel.tell(message.message()) }

  func answer(
    within bound: Int64? = KeeperConnection.bound
  ) throws(Failure) -> (KeeperMessage, DescriptorBox?)? {
    let deadline = bound.map { Clock.boottime() + $0 }
    let incoming = try explained(
      "\(name): cannot wait for its keeper", channel.next(until: deadline, into: &buffer))
    if let incoming { return try read(incoming) }
    let keeper = process.map { " (process \($0.pid))" } ?? ""
    throw .failed("the keeper of \(name)\(keeper) does not answer; \"lull quit \(name)\" ends its program")
  }

  /// The end of the program, when the keeper has told it; `hungUp` when the keeper is gone without a word.
  func end() throws(Failure) -> KeeperEnd? {
    while true {
      while let incoming = channel.next() {
        switch try read(incoming)?.0 {
        case .ended(let status): return .ended(status)
        case .refused(_, let message): return .refused(message)
        default: break
        }
      }
      switch channel.receive(into: &buffer) {
      case .bytes: continue
      case .nothing: return nil
      case .ended: return .hungUp
      }
    }
  }

  /// Waits until the program has ended and the keeper with it; a program that is to end may take 5 s and
  /// more.
  func waitForEnd() throws(Failure) {
    guard try end(within: 4 * Self.bound) != nil else {
      throw .failed("\(name) does not end; \"lull quit --now \(name)\" kills it")
    }
  }

  func end(within bound: Int64) throws(Failure) -> KeeperEnd? {
    let deadline = Clock.boottime() + bound
    while true {
      if let end = try end() { return end }
      let isReady = try explained("\(name): cannot wait for its end", channel.wait(until: deadline))
      guard isReady else { return nil }
    }
  }

  private func read(_ incoming: Incoming) throws(Failure) -> (KeeperMessage, DescriptorBox?)? {
    switch incoming {
    case .ended: return nil
    case .invalid(let error): throw .unreadable(error)
    case .message(let message, let descriptor):
      return (try readable(KeeperMessage.parse(message)), descriptor)
    }
  }
}

enum KeeperEnd: Equatable {
  case ended(ExitStatus)
  /// The keeper goes on, but not with this connection.
  case refused(String)
  case hungUp
}

extension ExitStatus {
  var shellStatus: Int32 {
    switch self {
    case .exited(let code): code
    case .signaled(let signal): 128 + signal
    case .unknown: 1
    }
  }
}

struct KeeperIdentity {
  let pid: Int32
  private let pidfd: DescriptorBox

  /// The process that listens at the other end of a connection. ESRCH: it has ended.
  init(behind socket: DescriptorBox) throws(SystemError) {
    pidfd = DescriptorBox(try UnixSocket.peerPidfd(of: socket.raw))
    pid = try UnixSocket.peer(of: socket.raw).pid
  }

  func goesOn() -> Bool {
    guard (try? Process.isStopped(pid)) == true else { return false }
    return (try? Process.sendSignal(pidfd.raw, Signal.continue)) != nil
  }
}

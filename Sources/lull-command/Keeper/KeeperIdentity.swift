import LullSystem

struct KeeperIdentity {
  let pid: Int32
  private let pidfd: DescriptorBox

  /// The process that listens at the other end of a connection. ESRCH: it has ended.
  init(behind socket: DescriptorBox) throws(SystemError) {
    pidfd = DescriptorBox(try UnixSocket.peerPidfd(of: socket.raw))
    pid = try UnixSocket.peer(of: socket.raw).pid
  }

  /// False when it is not stopped.
  func goesOn() -> Bool {
    guard (try? Process.isStopped(pid)) == true else { return false }
    return (try? Process.sendSignal(pidfd.raw, Signal.continue)) != nil
  }
}

internal import Glibc

extension UnixSocket {
  /// Whether somebody listens at a path, however many connections wait there. Never waits itself.
  /// The corresponding C function is `connect` (non-blocking).
  public static func isListening(path: String) -> Bool {
    guard let address = try? SocketAddress(path: path) else { return false }
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    do throws(SystemError) {
      let end = try Descriptor(owning: systemCall("socket") { socket(AF_UNIX, kind, 0) })
      try systemCall("connect") { address.connect(end.raw) }
      return true
    } catch {
      return error.isWouldBlock
    }
  }
}

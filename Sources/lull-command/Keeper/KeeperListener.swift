import LullChannel
import LullSystem

/// The socket at which others join a detached program.
final class KeeperListener {
  let socket: DescriptorBox
  private let path: String
  private let identity: FileIdentity?

  /// Takes the place of a keeper of that name that is gone or about to go: the daemon gives a name once.
  init(_ path: String) throws(SystemError) {
    if let slash = path.lastIndex(of: "/") {
      do throws(SystemError) {
        try Files.makeDirectory(String(path[..<slash]))
      } catch {
        guard error.isExisting else { throw error }
      }
    }
    try? Files.unlink(path)
    socket = DescriptorBox(try UnixSocket.listen(path: path))
    self.path = path
    identity = Files.identity(path)
  }

  /// A keeper whose command does not exist leaves no socket behind.
  deinit { close() }

  /// Another keeper may have the name by now.
  func close() {
    guard socket.isOpen else { return }
    if identity != nil, Files.identity(path) == identity { try? Files.unlink(path) }
    socket.close()
  }
}

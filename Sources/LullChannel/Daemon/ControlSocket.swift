package import LullSystem

package enum ControlSocketError: Error, Equatable {
  case system(SystemError)
  case unusable(RuntimeDirectoryError)
  case foreign(path: String, uid: UInt32, expected: UInt32)
}

extension ControlSocketError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let error): error.description
    case .unusable(let error): error.description
    case .foreign(let path, let uid, let expected):
      "\(path): uid \(uid) listens there, not uid \(expected): "
        + "set LULL_RUNTIME_DIR to a directory of your own"
    }
  }
}

/// Connections to a daemon, which can freeze its programs and hear their sound.
package enum ControlSocket {
  /// A connection to a daemon of the user's own; in /run/lull, which only root can make, root's daemon serves
  /// everybody. Another user's daemon is refused: in /tmp anybody could have made the directory first. The
  /// corresponding C functions are `connect` and `getsockopt(SO_PEERCRED)`.
  package static func connect(
    path: String, user: UInt32 = Identity.uid()
  ) throws(ControlSocketError) -> Descriptor {
    let socket = try open(path)
    let uid = try listener(of: socket.raw)
    guard isTrusted(uid, path: path, user: user) else {
      throw .foreign(path: path, uid: uid, expected: user)
    }
    return socket
  }

  private static func open(_ path: String) throws(ControlSocketError) -> Descriptor {
    let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? path[...]
    do throws(RuntimeDirectoryError) {
      try RuntimeDirectory.check(String(folder))
    } catch {
      throw .unusable(error)
    }
    do throws(SystemError) { return try UnixSocket.connect(path: path) } catch { throw .system(error) }
  }

  private static func listener(of raw: Int32) throws(ControlSocketError) -> UInt32 {
    do throws(SystemError) { return try UnixSocket.peer(of: raw).uid } catch { throw .system(error) }
  }

  static func isTrusted(_ uid: UInt32, path: String, user: UInt32) -> Bool {
    uid == user || (uid == 0 && path.hasPrefix("/run/lull/"))
  }
}

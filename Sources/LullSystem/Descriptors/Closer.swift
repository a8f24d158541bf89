internal import Glibc

/// Closes descriptors that came from other processes. The last close(2) of a file may wait: for unsent bytes
/// (SO_LINGER), for a server (FUSE, NFS), for a device to drain. Nobody knows which close is the last one, so
/// a worker does all that may wait. A close that waits must not hold up the next ones: the worker is wide.
package final class Closer: Sendable {
  private let worker = Worker(width: 32)

  package init() {}

  package func close(_ descriptor: consuming Descriptor) {
    guard Self.mayWait(descriptor.raw) else { return }
    let raw = descriptor.take()
    do {
      try worker.perform { closeDescriptor(raw) }
    } catch {
      // Without threads the only way left is a close here, which may wait.
      closeDescriptor(raw)
    }
  }

  private static func mayWait(_ raw: Int32) -> Bool {
    if let domain = try? Socket.option(raw, option: SO_DOMAIN, name: "getsockopt(SO_DOMAIN)") {
      return socketMayWait(raw, domain)
    }
    guard let status = try? FileStatus.of(raw) else { return true }
    return switch status.shape {
    case .anonymous, .pipe: false
    case .socket: true
    // FUSE and NFS have no block device (major number 0); a file on a block device has nothing to wait for.
    case .stored: status.isBlockDevice || status.disk == 0
    // Memory devices and the ends of pseudo-terminals have nothing to drain.
    case .characterDevice: status.device != 1 && !(136...143).contains(status.device)
    }
  }

  /// The close of a socket of another family may wait for the other processors (packet sockets), or for its
  /// peer.
  private static func socketMayWait(_ raw: Int32, _ domain: Int32) -> Bool {
    switch domain {
    case AF_UNIX: return false
    case AF_INET, AF_INET6:
      let linger = try? Socket.option(
        raw, option: SO_LINGER, into: linger(), name: "getsockopt(SO_LINGER)")
      guard let linger else { return false }
      return linger.l_onoff != 0 && linger.l_linger > 0
    default: return true
    }
  }
}

internal import CLinux

/// A descriptor that can stand in an array, a dictionary or an enum, which a noncopyable value cannot.
package final class DescriptorBox {
  /// Valid while `isOpen`.
  package let raw: Int32
  private var descriptor: Descriptor?
  /// Without a closer the descriptor is closed here and now.
  package var closer: Closer?

  /// A descriptor that came from another process needs a closer.
  package init(_ descriptor: consuming Descriptor, closer: Closer? = nil) {
    raw = descriptor.raw
    self.descriptor = consume descriptor
    self.closer = closer
  }

  deinit { close() }

  package var isOpen: Bool {
    switch descriptor {
    case .some: true
    case .none: false
    }
  }

  package func close() {
    guard let closer else {
      descriptor = nil
      return
    }
    if let descriptor = descriptor.take() { closer.close(descriptor) }
  }

  /// Returns nil when the descriptor was closed or taken before.
  package func take() -> Descriptor? {
    descriptor.take()
  }
}

/// Closes descriptors that came from other processes. The last close(2) of a file may wait: for unsent bytes
/// (SO_LINGER), for a server (FUSE, NFS), for a device to drain. Nobody knows which close is the last one, so
/// threads do all that may wait. They live only while there is something to close.
@safe package final class Closer {
  private let threads: OpaquePointer?

  package init() { unsafe threads = clinux_closer_make() }

  package func close(_ descriptor: consuming Descriptor) {
    guard clinux_close_may_wait(descriptor.raw) != 0, let threads = unsafe threads else { return }
    let raw = descriptor.take()
    // Without memory or threads the only way left is a close here, which may wait.
    if unsafe clinux_closer_close(threads, raw) == -1 { closeDescriptor(raw) }
  }
}

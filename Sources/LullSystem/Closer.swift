internal import CLinux

/// Closes what came from other processes. The last close(2) of a file may wait: for unsent bytes (SO_LINGER),
/// for a server (FUSE, NFS), for a device to drain. Nobody knows which close is the last one, so all of that
/// is done by threads that end with it; there are none before and none after.
@safe public final class Closer {
  private let threads: OpaquePointer?

  /// No thread runs yet.
  public init() { unsafe threads = clinux_closer_make() }

  /// Closes a descriptor: at once when that cannot wait. The corresponding C function is `close`.
  public func close(_ descriptor: consuming Descriptor) {
    guard clinux_close_may_wait(descriptor.raw) != 0, let threads = unsafe threads else { return }
    let raw = descriptor.take()
    // Without memory and threads nothing else is left.
    if unsafe clinux_closer_close(threads, raw) == -1 { closeDescriptor(raw) }
  }
}

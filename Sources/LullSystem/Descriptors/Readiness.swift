/// The events that a descriptor is watched for. The values are the kernel's (EPOLLIN and so on; POLLIN is the
/// same).
package struct Interest: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Bytes, a connection to accept, or the end of the stream (EPOLLIN).
  package static let readable = Interest(rawValue: 0x001)
  /// A change of a file such as cgroup.events, or urgent data (EPOLLPRI).
  package static let priority = Interest(rawValue: 0x002)
  /// Room to write, or a connection that is made (EPOLLOUT).
  package static let writable = Interest(rawValue: 0x004)
  /// The peer has finished sending (EPOLLRDHUP).
  package static let readHangUp = Interest(rawValue: 0x2000)
  /// One event, then silence until it is modified (EPOLLONESHOT); epoll only.
  package static let oneShot = Interest(rawValue: 1 << 30)
  /// Report changes instead of the state (EPOLLET); epoll only.
  package static let edge = Interest(rawValue: 1 << 31)
}

/// The events that a descriptor is ready for: those of `Interest`, and what is always reported.
package struct Readiness: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  package static let readable = Readiness(rawValue: 0x001)
  package static let priority = Readiness(rawValue: 0x002)
  package static let writable = Readiness(rawValue: 0x004)
  /// An error is waiting (EPOLLERR).
  package static let error = Readiness(rawValue: 0x008)
  /// Both directions are closed (EPOLLHUP).
  package static let hangUp = Readiness(rawValue: 0x010)
  /// Not a descriptor that can be polled (POLLNVAL); poll only.
  package static let invalid = Readiness(rawValue: 0x020)
  package static let readHangUp = Readiness(rawValue: 0x2000)
}

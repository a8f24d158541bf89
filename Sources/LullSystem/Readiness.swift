/// What a descriptor is watched for. The values are the kernel's (EPOLLIN and so on; POLLIN is the same).
public struct Interest: OptionSet, Hashable, Sendable {
  /// The kernel's bits.
  public let rawValue: UInt32
  /// A set of the kernel's bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Bytes, a connection to accept, or the end of the stream (EPOLLIN).
  public static let readable = Interest(rawValue: 0x001)
  /// A change of a file such as cgroup.events, or urgent data (EPOLLPRI).
  public static let priority = Interest(rawValue: 0x002)
  /// Room to write, or a connection that is made (EPOLLOUT).
  public static let writable = Interest(rawValue: 0x004)
  /// The peer has finished sending (EPOLLRDHUP).
  public static let readHangUp = Interest(rawValue: 0x2000)
  /// One event, then silence until it is modified (EPOLLONESHOT); epoll only.
  public static let oneShot = Interest(rawValue: 1 << 30)
  /// Report changes instead of the state (EPOLLET); epoll only.
  public static let edge = Interest(rawValue: 1 << 31)
}

/// What a descriptor is ready for. The values are the kernel's (EPOLLIN and so on; POLLIN is the same).
public struct Readiness: OptionSet, Hashable, Sendable {
  /// The kernel's bits.
  public let rawValue: UInt32
  /// A set of the kernel's bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Bytes, a connection to accept, or the end of the stream (EPOLLIN).
  public static let readable = Readiness(rawValue: 0x001)
  /// A change of a file such as cgroup.events, or urgent data (EPOLLPRI).
  public static let priority = Readiness(rawValue: 0x002)
  /// Room to write, or a connection that is made (EPOLLOUT).
  public static let writable = Readiness(rawValue: 0x004)
  /// An error is waiting (EPOLLERR); always reported.
  public static let error = Readiness(rawValue: 0x008)
  /// Both directions are closed (EPOLLHUP); always reported.
  public static let hangUp = Readiness(rawValue: 0x010)
  /// Not a descriptor that can be polled (POLLNVAL); poll only.
  public static let invalid = Readiness(rawValue: 0x020)
  /// The peer has finished sending (EPOLLRDHUP).
  public static let readHangUp = Readiness(rawValue: 0x2000)
}

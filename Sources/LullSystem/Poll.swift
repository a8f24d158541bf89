internal import Glibc

/// One descriptor of a `Socket.pollMany`.
public struct PollEntry: Sendable {
  /// The descriptor.
  public var raw: Int32
  /// What it is polled for.
  public var interest: Interest
  /// What the last poll found; empty before.
  public internal(set) var readiness: Readiness = []

  /// A descriptor and what it is polled for.
  public init(_ raw: Int32, _ interest: Interest) {
    self.raw = raw
    self.interest = interest
  }
}

extension Socket {
  /// What one descriptor is ready for, after at most `timeoutMilliseconds` (-1: for ever); empty when nothing
  /// came. A regular file is always ready. The corresponding C function is `poll`.
  public static func poll(
    _ raw: Int32, _ interest: Interest, timeoutMilliseconds: Int32
  ) throws(SystemError) -> Readiness {
    var entry = pollfd(fd: raw, events: Int16(truncatingIfNeeded: interest.rawValue), revents: 0)
    let patience = Patience(milliseconds: timeoutMilliseconds)
    try systemCall("poll") { unsafe Glibc.poll(&entry, 1, patience.remaining) }
    return Readiness(rawValue: UInt32(UInt16(bitPattern: entry.revents)))
  }

  /// Polls several descriptors; returns how many are ready. The corresponding C function is `poll`.
  @discardableResult
  public static func pollMany(
    _ entries: inout [PollEntry], timeoutMilliseconds: Int32
  ) throws(SystemError) -> Int {
    var polled = entries.map { entry in
      pollfd(fd: entry.raw, events: Int16(truncatingIfNeeded: entry.interest.rawValue), revents: 0)
    }
    let patience = Patience(milliseconds: timeoutMilliseconds)
    let count = try systemCall("poll") {
      unsafe Glibc.poll(&polled, nfds_t(polled.count), patience.remaining)
    }
    for index in entries.indices {
      entries[index].readiness = Readiness(rawValue: UInt32(UInt16(bitPattern: polled[index].revents)))
    }
    return Int(count)
  }
}

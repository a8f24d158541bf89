internal import Glibc

package struct PollEntry: Sendable {
  package var raw: Int32
  package var interest: Interest
  package internal(set) var readiness: Readiness = []

  package init(_ raw: Int32, _ interest: Interest) {
    self.raw = raw
    self.interest = interest
  }
}

extension Socket {
  /// The readiness of one descriptor, after at most `timeoutMilliseconds` (-1: for ever); empty when nothing
  /// came. A regular file is always ready.
  package static func poll(
    _ raw: Int32, _ interest: Interest, timeoutMilliseconds: Int32
  ) throws(SystemError) -> Readiness {
    var entry = pollfd(fd: raw, events: Int16(truncatingIfNeeded: interest.rawValue), revents: 0)
    let patience = RemainingTime(milliseconds: timeoutMilliseconds)
    try systemCall("poll") { unsafe Glibc.poll(&entry, 1, patience.remaining) }
    return Readiness(rawValue: UInt32(UInt16(bitPattern: entry.revents)))
  }

  @discardableResult
  package static func pollMany(
    _ entries: inout [PollEntry], timeoutMilliseconds: Int32
  ) throws(SystemError) -> Int {
    var polled = entries.map { entry in
      pollfd(fd: entry.raw, events: Int16(truncatingIfNeeded: entry.interest.rawValue), revents: 0)
    }
    let patience = RemainingTime(milliseconds: timeoutMilliseconds)
    let count = try systemCall("poll") {
      unsafe Glibc.poll(&polled, nfds_t(polled.count), patience.remaining)
    }
    for index in entries.indices {
      entries[index].readiness = Readiness(rawValue: UInt32(UInt16(bitPattern: polled[index].revents)))
    }
    return Int(count)
  }
}

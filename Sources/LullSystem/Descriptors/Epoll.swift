internal import CLinux
internal import Glibc

/// The events of one `Epoll.wait` and of each `waitMore` behind it; used again for the next one, so that
/// `wait` allocates nothing.
@safe package struct ReadyList: ~Copyable {
  /// The most events to which `waitMore` adds others.
  private static let most = 2048

  private var events: [epoll_event]
  package private(set) var count = 0

  /// More events than there is room for come with the next wait.
  package init(capacity: Int) {
    precondition(capacity > 0, "a ready list needs room")
    unsafe events = Array(repeating: epoll_event(), count: capacity)
  }

  package subscript(index: Int) -> (token: UInt64, readiness: Readiness) {
    precondition(index >= 0 && index < count, "event out of range")
    return unsafe (events[index].data.u64, Readiness(rawValue: events[index].events))
  }

  /// Keeps the first `first` events. One that is already among them is left out of what comes behind.
  fileprivate mutating func fill(
    from first: Int, _ wait: (UnsafeMutablePointer<epoll_event>?, Int32) -> Int32
  ) -> Int32 {
    let result = unsafe events.withUnsafeMutableBufferPointer { buffer in
      unsafe wait(buffer.baseAddress.map { unsafe $0 + first }, Int32(buffer.count - first))
    }
    count = first
    for index in first..<(first + max(0, Int(result))) {
      let event = unsafe events[index]
      let stands = unsafe events[..<first].contains { unsafe $0.data.u64 == event.data.u64 }
      if !stands {
        unsafe events[count] = event
        count += 1
      }
    }
    return result
  }

  /// Makes room behind the events that are in the list. Returns false where it has all the room that it may
  /// have.
  fileprivate mutating func makeRoom() -> Bool {
    guard unsafe count == events.count else { return true }
    guard unsafe events.count < Self.most else { return false }
    let more = unsafe events.count
    unsafe events.append(contentsOf: repeatElement(epoll_event(), count: more))
    return true
  }
}

/// Watches many descriptors at once; each carries a token chosen by the caller.
///
/// The kernel follows the open file, not the number: a registered duplicate must be removed before it is
/// closed, or its events keep coming as long as another descriptor of the file is open. See epoll(7),
/// questions 6 and 7.
package final class Epoll {
  private let descriptor: Descriptor

  package init() throws(SystemError) {
    descriptor = try Descriptor(owning: systemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
  }

  /// The set's own descriptor, which is readable while an event waits.
  package var raw: Int32 { descriptor.raw }

  /// EPERM: a regular file or a directory, which cannot be watched; EBADF: an O_PATH descriptor; EEXIST:
  /// watched already.
  package func add(_ raw: Int32, token: UInt64, interest: Interest) throws(SystemError) {
    try control(
      "epoll_ctl(EPOLL_CTL_ADD)", operation: EPOLL_CTL_ADD, raw: raw, token: token, interest: interest)
  }

  /// A one-shot watch is armed again by this.
  package func modify(_ raw: Int32, token: UInt64, interest: Interest) throws(SystemError) {
    try control(
      "epoll_ctl(EPOLL_CTL_MOD)", operation: EPOLL_CTL_MOD, raw: raw, token: token, interest: interest)
  }

  /// The watch is to end before the descriptor is closed.
  package func remove(_ raw: Int32) throws(SystemError) {
    try control("epoll_ctl(EPOLL_CTL_DEL)", operation: EPOLL_CTL_DEL, raw: raw, token: 0, interest: [])
  }

  private func control(
    _ name: String, operation: Int32, raw: Int32, token: UInt64, interest: Interest
  ) throws(SystemError) {
    var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
    let own = descriptor.raw
    try systemCall(name, on: .foreign) { unsafe epoll_ctl(own, operation, raw, &event) }
  }

  /// `timeoutMilliseconds`: -1 for ever, 0 not at all. Returns the number of events.
  @discardableResult
  package func wait(into list: inout ReadyList, timeoutMilliseconds: Int32) throws(SystemError) -> Int {
    try wait(into: &list, from: 0, timeoutMilliseconds)
    return list.count
  }

  /// Adds what happens from the last wait to the end of the time-out, without the events that are in the
  /// list. Returns false where nothing does, or the list has thousands. An event that still stands ends the
  /// wait.
  package func waitMore(into list: inout ReadyList, timeoutMilliseconds: Int32) throws(SystemError) -> Bool {
    let first = list.count
    guard list.makeRoom() else { return false }
    try wait(into: &list, from: first, timeoutMilliseconds)
    return list.count > first
  }

  private func wait(
    into list: inout ReadyList, from first: Int, _ timeoutMilliseconds: Int32
  ) throws(SystemError) {
    let patience = RemainingTime(milliseconds: timeoutMilliseconds)
    let own = descriptor.raw
    try systemCall("epoll_wait") {
      unsafe list.fill(from: first) { unsafe epoll_wait(own, $0, $1, patience.remaining) }
    }
  }
}

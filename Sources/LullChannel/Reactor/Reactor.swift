package import LullSystem

/// Descriptors and one timer in one set, each descriptor with the user's own name for it, its source. One
/// system call per turn waits for all of them. The events of a turn stand here until the next turn; the user
/// takes them in the order that it needs, in several passes if it likes. The event of a registration that was
/// removed since is nil, also when another registration has its place.
package final class Reactor<Source> {
  /// An event of the last wait.
  package struct Event {
    /// The registration, which still stands.
    package let registration: Slot
    /// The source that was registered.
    package let source: Source
    /// The readiness of the descriptor.
    package let readiness: Readiness

    @inlinable init(registration: Slot, source: Source, readiness: Readiness) {
      (self.registration, self.source, self.readiness) = (registration, source, readiness)
    }
  }

  @usableFromInline struct Registered {
    @usableFromInline let raw: Int32
    @usableFromInline let source: Source

    @usableFromInline init(raw: Int32, source: Source) { (self.raw, self.source) = (raw, source) }
  }

  @usableFromInline let epoll: Epoll
  private let timer: Timer
  @usableFromInline var ready: ReadyList
  @usableFromInline var registrations = SlotTable<Registered>()
  /// The moment to which the timer is armed, in nanoseconds of CLOCK_BOOTTIME; nil: it is not armed.
  package private(set) var armed: Int64?

  /// The token of the timer: no table has so many places.
  private static var timerToken: UInt64 { .max }

  /// An empty set. `capacity` is the number of events that one wait brings; `wakesMachine` lets the timer end
  /// the sleep of the machine where that is permitted.
  package init(capacity: Int = 64, wakesMachine: Bool = false) throws(SystemError) {
    epoll = try Epoll()
    timer = try wakesMachine ? Timer.bestBoottime() : Timer(.boottime)
    ready = ReadyList(capacity: capacity)
    try epoll.add(timer.raw, token: Self.timerToken, interest: .readable)
  }

  /// The set's own descriptor, which is readable while an event waits; for another loop.
  package var raw: Int32 { epoll.raw }

  /// True when the timer ends the sleep of the machine.
  package var wakesMachine: Bool { timer.clock == .boottimeAlarm }

  // MARK: Registrations

  /// The number of registrations.
  package var count: Int { registrations.count }

  /// Watches a descriptor. EPERM: a regular file or a directory; EBADF: an O_PATH descriptor; EEXIST: watched
  /// already.
  @inlinable package func add(
    _ raw: Int32, _ interest: Interest, as source: Source
  ) throws(SystemError) -> Slot {
    let slot = registrations.insert(Registered(raw: raw, source: source))
    do {
      try epoll.add(raw, token: slot.raw, interest: interest)
    } catch {
      registrations.remove(slot)
      throw error
    }
    return slot
  }

  /// Changes the interest in a descriptor, and arms a one-shot watch again. Does nothing for a registration
  /// that was removed.
  @inlinable package func modify(_ registration: Slot, _ interest: Interest) throws(SystemError) {
    guard let registered = registrations[registration] else { return }
    try epoll.modify(registered.raw, token: registration.raw, interest: interest)
  }

  /// Ends a watch, before its descriptor is closed; does nothing the second time.
  @inlinable package func remove(_ registration: Slot) {
    guard let registered = registrations.remove(registration) else { return }
    // The call fails for a descriptor that its owner has closed already: the kernel has dropped it then.
    try? epoll.remove(registered.raw)
  }

  /// Checks that a descriptor can be watched: throws as `add` does, but not for one that is watched already.
  package func probe(_ raw: Int32) throws(SystemError) {
    do {
      try epoll.add(raw, token: Self.timerToken, interest: [])
    } catch {
      guard error.isExisting else { throw error }
      return
    }
    try epoll.remove(raw)
  }

  // MARK: Time

  /// Makes the set readable at a moment of CLOCK_BOOTTIME in nanoseconds; nil: not by time.
  package func arm(at moment: Int64?) throws(SystemError) {
    guard moment != armed else { return }
    if let moment { try timer.arm(at: moment) } else { try timer.disarm() }
    armed = moment
  }

  /// True when the last wait found that the moment has come; the timer is disarmed then.
  package func takeExpiration() throws(SystemError) -> Bool {
    guard ready.contains(token: Self.timerToken), armed != nil else { return false }
    // A timer that was armed anew since the wait has not fired.
    guard case .fired = try timer.expirations() else { return false }
    armed = nil
    return true
  }

  // MARK: Events

  /// Waits for events, at most `timeoutMilliseconds` (-1: for ever, 0: not at all).
  package func wait(timeoutMilliseconds: Int32 = -1) throws(SystemError) {
    try epoll.wait(into: &ready, timeoutMilliseconds: timeoutMilliseconds)
  }

  /// The places of the last wait's events.
  @inlinable package var events: Range<Int> { 0..<ready.count }

  /// The event at a place; nil for the timer, and for a registration that was removed meanwhile.
  @inlinable package subscript(place: Int) -> Event? {
    let (token, readiness) = ready[place]
    let slot = Slot(raw: token)
    guard let registered = registrations[slot] else { return nil }
    return Event(registration: slot, source: registered.source, readiness: readiness)
  }
}

extension ReadyList {
  fileprivate func contains(token: UInt64) -> Bool {
    for index in 0..<count where self[index].token == token { return true }
    return false
  }
}

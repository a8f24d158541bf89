package import LullSystem

/// Descriptors and the time in one set, each descriptor with the user's own name for it, its source. One
/// system call per turn waits for all of them. The events of a turn stand here until the next turn; the user
/// takes them in the order that it needs, in several passes if it likes. The event of a registration that was
/// removed since is nil, also when another registration has its place.
package final class Reactor<Source> {
  package struct Event {
    package let registration: Slot
    package let source: Source
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
  private var timer: Armed
  private var alarm: Armed?
  @usableFromInline var ready: ReadyList
  @usableFromInline var registrations = SlotTable<Registered>()

  /// The tokens of the timers: no table has so many places.
  private static var timerToken: UInt64 { .max }
  private static var alarmToken: UInt64 { .max - 1 }

  /// `capacity`: the events that one wait brings; `waitMore` makes room for more. `wakesMachine`: an alarm
  /// ends the sleep of the machine where that is permitted.
  package init(capacity: Int = 64, wakesMachine: Bool = false) throws(SystemError) {
    epoll = try Epoll()
    timer = Armed(try Timer(.boottime))
    ready = ReadyList(capacity: capacity)
    try epoll.add(timer.raw, token: Self.timerToken, interest: .readable)
    guard wakesMachine, let alarm = try? Timer(.boottimeAlarm) else { return }
    try epoll.add(alarm.raw, token: Self.alarmToken, interest: .readable)
    self.alarm = Armed(alarm)
  }

  /// The set's own descriptor, which is readable while an event waits; for another loop.
  package var raw: Int32 { epoll.raw }

  package var wakesMachine: Bool { alarm != nil }

  // MARK: Registrations

  package var count: Int { registrations.count }

  /// EPERM: a regular file or a directory; EBADF: an O_PATH descriptor; EEXIST: watched already.
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

  /// A one-shot watch is armed again. Does nothing for a registration that was removed.
  @inlinable package func modify(_ registration: Slot, _ interest: Interest) throws(SystemError) {
    guard let registered = registrations[registration] else { return }
    try epoll.modify(registered.raw, token: registration.raw, interest: interest)
  }

  /// To be called before the descriptor is closed; does nothing the second time.
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

  /// The first moment to which a timer is armed, in nanoseconds of CLOCK_BOOTTIME.
  package var armed: Int64? { [timer.moment, armedAlarm].compactMap(\.self).min() }

  /// In nanoseconds of CLOCK_BOOTTIME.
  package var armedAlarm: Int64? { alarm?.moment }

  /// Makes the set readable at the first of two moments of CLOCK_BOOTTIME in nanoseconds; nil: not by time.
  /// At `alarm` this also ends the sleep of the machine, where that is permitted.
  package func arm(at moment: Int64?, alarm: Int64? = nil) throws(SystemError) {
    let first = [moment, alarm].compactMap(\.self).min()
    guard self.alarm != nil else { return try timer.arm(at: first) }
    try self.alarm?.arm(at: alarm)
    // The alarm makes the set readable, too.
    try timer.arm(at: first == alarm ? nil : first)
  }

  /// The last wait found that a moment has come; its timer is disarmed then.
  package func takeExpiration() throws(SystemError) -> Bool {
    let hasAlarm = ready.contains(token: Self.alarmToken) ? try alarm?.takeExpiration() ?? false : false
    let isDue = ready.contains(token: Self.timerToken) ? try timer.takeExpiration() : false
    return hasAlarm || isDue
  }

  // MARK: Events

  /// `timeoutMilliseconds`: -1 for ever, 0 not at all.
  package func wait(timeoutMilliseconds: Int32 = -1) throws(SystemError) {
    try epoll.wait(into: &ready, timeoutMilliseconds: timeoutMilliseconds)
  }

  /// Adds the events that come from the last wait to the end of the time-out to those of the turn. Returns
  /// false where none does. An event that still stands ends the wait.
  package func waitMore(timeoutMilliseconds: Int32 = 0) throws(SystemError) -> Bool {
    try epoll.waitMore(into: &ready, timeoutMilliseconds: timeoutMilliseconds)
  }

  @inlinable package var events: Range<Int> { 0..<ready.count }

  /// Nil for a timer, and for a registration that was removed meanwhile.
  @inlinable package subscript(place: Int) -> Event? {
    let (token, readiness) = ready[place]
    let slot = Slot(raw: token)
    guard let registered = registrations[slot] else { return nil }
    return Event(registration: slot, source: registered.source, readiness: readiness)
  }
}

/// A timer and the moment to which it is armed. It costs a system call only when that changes.
private struct Armed: ~Copyable {
  private let timer: Timer
  private(set) var moment: Int64?

  init(_ timer: consuming Timer) { self.timer = timer }

  var raw: Int32 { timer.raw }

  mutating func arm(at moment: Int64?) throws(SystemError) {
    guard moment != self.moment else { return }
    if let moment { try timer.arm(at: moment) } else { try timer.disarm() }
    self.moment = moment
  }

  mutating func takeExpiration() throws(SystemError) -> Bool {
    // A timer that was armed anew since the wait has not fired.
    guard moment != nil, case .fired = try timer.expirations() else { return false }
    moment = nil
    return true
  }
}

extension ReadyList {
  fileprivate func contains(token: UInt64) -> Bool {
    for index in 0..<count where self[index].token == token { return true }
    return false
  }
}

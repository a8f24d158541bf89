import LullBus
import LullChannel
import LullSystem

/// The connection to one bus, which is made again when it ends: the bus may be started again. Moments are
/// nanoseconds of CLOCK_BOOTTIME.
final class BusConnection {
  private enum Life {
    /// The next try is made when somebody needs the connection.
    case resting
    /// The next try; nil: a try is of no use, since no address is known.
    case closed(until: Int64?)
    /// Until `letInBy` the bus must have let this process in; nil: it has.
    case open(Bus, Slot, Interest, letInBy: Int64?)
  }

  /// The time in which a bus lets a process in.
  private static let patience: Int64 = 5_000_000_000
  private static let firstWait: Int64 = 500_000_000, longestWait: Int64 = 300_000_000_000

  private let kind: Bus.Kind
  private let reactor: Reactor<LoopSource>
  private let users: [any BusUser]
  private var life = Life.closed(until: 0)
  private var wait = BusConnection.firstWait
  private var isNeeded: Bool

  /// After a failed try another one is made only while the connection is needed (`need`).
  init(_ kind: Bus.Kind, in reactor: Reactor<LoopSource>, for users: [any BusUser], isNeeded: Bool) {
    (self.kind, self.reactor, self.users, self.isNeeded) = (kind, reactor, users, isNeeded)
  }

  deinit { if case .open(_, let registration, _, _) = life { reactor.remove(registration) } }

  func need() {
    isNeeded = true
    if case .resting = life { life = .closed(until: 0) }
  }

  var isHopeless: Bool { if case .closed(nil) = life { true } else { false } }

  var deadline: Int64? {
    switch life {
    case .resting: nil
    case .closed(let until): until
    case .open(let bus, _, _, let letInBy): [bus.deadline, letInBy].compactMap(\.self).min()
    }
  }

  func work() {
    switch life {
    case .closed(let until?) where until <= Clock.boottime(): open()
    case .resting, .closed: break
    case .open(let bus, let registration, let interest, let letInBy):
      guard bus.process() else { return close(BusError("the \(kind) bus has ended the connection")) }
      let isIn = letInBy == nil || bus.identifier != nil
      if isIn { wait = Self.firstWait }
      if let letInBy, !isIn, letInBy <= Clock.boottime() {
        return close(BusError("the \(kind) bus does not answer"))
      }
      life = .open(bus, registration, interest, letInBy: isIn ? nil : letInBy)
    }
  }

  func updateInterest() throws(SystemError) {
    guard case .open(let bus, let registration, let interest, let letInBy) = life else { return }
    let wanted = bus.interest
    guard wanted != interest else { return }
    try reactor.modify(registration, wanted)
    life = .open(bus, registration, wanted, letInBy: letInBy)
  }

  /// Waits for the bus, which the alarm bounds.
  func finish() { if case .open(let bus, _, _, nil) = life { bus.flush() } }

  private func open() {
    do throws(BusError) {
      let bus = try Bus(kind)
      let interest = bus.interest
      let registration: Slot
      do throws(SystemError) {
        registration = try reactor.add(bus.descriptor, interest, as: .bus(kind))
      } catch {
        throw BusError("\(error)")
      }
      life = .open(bus, registration, interest, letInBy: Clock.boottime() + Self.patience)
      for user in users { try user.connected(bus) }
    } catch {
      close(error)
    }
  }

  private func close(_ why: BusError) {
    if case .open(_, let registration, _, _) = life { reactor.remove(registration) }
    if why.isWithoutAddress {
      life = .closed(until: nil)
    } else {
      life = isNeeded ? .closed(until: Clock.boottime() + wait) : .resting
      wait = min(2 * wait, Self.longestWait)
    }
    for user in users { user.disconnected(why) }
  }
}

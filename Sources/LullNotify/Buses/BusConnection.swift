import LullBus
import LullChannel
import LullSystem

/// The connection to one bus, which is made again when it ends, since the bus may be started again. Moments
/// are nanoseconds of CLOCK_BOOTTIME.
final class BusConnection {
  private enum State {
    /// The next try waits for `need`.
    case resting
    /// The moment is that of the next try; nil: no address is known, and no try would help.
    case closed(until: Int64?)
    /// The bus must let this process in before `letInBy`; nil: it has.
    case open(Bus, Slot, Interest, letInBy: Int64?)
  }

  /// The nanoseconds that a bus has to let a process in.
  private static let patience: Int64 = 5_000_000_000
  private static let firstWait: Int64 = 500_000_000, longestWait: Int64 = 300_000_000_000

  private let kind: Bus.Kind
  private let reactor: Reactor<LoopSource>
  private let users: [any BusUser]
  private var state = State.closed(until: 0)
  private var wait = BusConnection.firstWait
  private var isNeeded: Bool

  /// After a failed try another one follows only if the connection is needed.
  init(_ kind: Bus.Kind, in reactor: Reactor<LoopSource>, for users: [any BusUser], isNeeded: Bool) {
    (self.kind, self.reactor, self.users, self.isNeeded) = (kind, reactor, users, isNeeded)
  }

  deinit { if case .open(_, let registration, _, _) = state { reactor.remove(registration) } }

  func need() {
    isNeeded = true
    if case .resting = state { state = .closed(until: 0) }
  }

  var isHopeless: Bool { if case .closed(nil) = state { true } else { false } }

  var deadline: Int64? {
    switch state {
    case .resting: nil
    case .closed(let until): until
    case .open(let bus, _, _, let letInBy): [bus.deadline, letInBy].compactMap(\.self).min()
    }
  }

  func work() {
    switch state {
    case .closed(let until?) where until <= Clock.boottime(): open()
    case .resting, .closed: break
    case .open(let bus, let registration, let interest, let letInBy):
      guard bus.process() else { return close(BusError("the \(kind) bus has ended the connection")) }
      let isIn = letInBy == nil || bus.identifier != nil
      if isIn { wait = Self.firstWait }
      if let letInBy, !isIn, letInBy <= Clock.boottime() {
        return close(BusError("the \(kind) bus does not answer"))
      }
      state = .open(bus, registration, interest, letInBy: isIn ? nil : letInBy)
    }
  }

  func updateInterest() throws(SystemError) {
    guard case .open(let bus, let registration, let interest, let letInBy) = state else { return }
    let wanted = bus.interest
    guard wanted != interest else { return }
    try reactor.modify(registration, wanted)
    state = .open(bus, registration, wanted, letInBy: letInBy)
  }

  /// Waits for the bus, which the alarm bounds.
  func finish() { if case .open(let bus, _, _, nil) = state { bus.flush() } }

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
      state = .open(bus, registration, interest, letInBy: Clock.boottime() + Self.patience)
      for user in users { try user.connected(bus) }
    } catch {
      close(error)
    }
  }

  private func close(_ why: BusError) {
    if case .open(_, let registration, _, _) = state { reactor.remove(registration) }
    if why.isWithoutAddress {
      state = .closed(until: nil)
    } else {
      state = isNeeded ? .closed(until: Clock.boottime() + wait) : .resting
      wait = min(2 * wait, Self.longestWait)
    }
    for user in users { user.disconnected(why) }
  }
}

/// A user of a bus. Each connection begins anew: calls and matches of the one before are gone.
protocol BusUser: AnyObject {
  /// Calls and matches may be made at once. They are sent when the bus lets this process in.
  func connected(_ bus: Bus) throws(BusError)
  func disconnected(_ why: BusError)
}

enum LoopSource {
  case link
  case bus(Bus.Kind)
}

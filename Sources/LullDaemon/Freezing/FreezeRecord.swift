import LullChannel
import LullEngine
import LullSystem

struct FreezeRecord {
  enum State {
    case running
    case decided(Ticket)
    /// The program is to hand its descriptors over (no ptrace rights).
    case preparing(Ticket)
    case looking(ProgramLook)
    /// `wait` is the time until the state is read again, in nanoseconds.
    case requested(Ticket, Suspender, wait: Int64)
    /// Nothing of the program runs: it is observed, and the engine evaluates the observation.
    case observing(Ticket, Suspender)
    case arming(Ticket, Suspender, wakesAtOnce: Bool)
    case asleep(Suspender, wakesAtOnce: Bool)
    /// The program was thawed in this turn, before the engine was told.
    case thawedAtOnce
  }

  var state = State.running
  var watched: [(pidfd: DescriptorBox, registration: Slot)] = []
  /// The watch of the program's cgroup, for a thaw by somebody else or the end of its last process.
  var events: Slot?
  /// The time of the last signal sent to the program, until an observation finds that no signal waits.
  var signalledAt: Int64?

  var holder: Suspender? {
    switch state {
    case .observing(_, let suspender), .arming(_, let suspender, _), .asleep(let suspender, _): suspender
    case .running, .decided, .preparing, .looking, .requested, .thawedAtOnce: nil
    }
  }

  var isFrozen: Bool {
    if case .thawedAtOnce = state { true } else { holder != nil }
  }

  var ticket: Ticket? {
    switch state {
    case .looking(let look): look.ticket
    case .observing(let ticket, _), .arming(let ticket, _, _): ticket
    case .running, .decided, .preparing, .requested, .asleep, .thawedAtOnce: nil
    }
  }

  /// Returns false when the thaw has to wait for the engine, or cannot be written.
  mutating func thawAtOnce() -> Bool {
    guard case .asleep(let suspender, wakesAtOnce: true) = state, (try? suspender.thaw()) != nil else {
      return false
    }
    state = .thawedAtOnce
    return true
  }
}

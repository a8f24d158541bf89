internal import LullChannel
internal import LullSystem
internal import Synchronization

/// The application's event loop: a reactor, and a signal that makes it ready at once.
final class EventLoop {
  typealias Handler = (Readiness) -> Void

  enum Source {
    case loopSignal
    /// The connection to the supervisor, which has a turn of its own.
    case supervisor(Handler)
    case other(Handler)
  }

  let reactor: Reactor<Source>
  let loopSignal: LoopSignal

  /// `wakesMachine`: an alarm also ends the sleep of the machine, where that is permitted.
  init(wakesMachine: Bool) throws(LullError) {
    do {
      reactor = try Reactor(wakesMachine: wakesMachine)
      loopSignal = try LoopSignal()
      _ = try reactor.add(loopSignal.raw, .readable, as: .loopSignal)
    } catch {
      throw LullError(error)
    }
  }

  func add(_ raw: Int32, _ interest: Interest, handler: @escaping Handler) throws(SystemError) -> Slot {
    try reactor.add(raw, interest, as: .other(handler))
  }

  func modify(_ registration: Slot, _ interest: Interest) {
    // This fails only for a descriptor that its owner has closed already: the kernel has then dropped it.
    try? reactor.modify(registration, interest)
  }

  /// Comes before the descriptor is closed.
  func remove(_ registration: Slot) { reactor.remove(registration) }

  /// Makes the loop's descriptor readable at the first of two moments, each of which may be nil. `alarm` also
  /// ends the sleep of the machine.
  func arm(at moment: Int64?, alarm: Int64?) {
    do throws(SystemError) {
      try reactor.arm(at: moment, alarm: alarm)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  func ring() { loopSignal.ring() }

  /// Waits until a source is ready; the events are kept until the next wait.
  func wait(timeoutMilliseconds: Int32) {
    do throws(SystemError) {
      try reactor.wait(timeoutMilliseconds: timeoutMilliseconds)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Runs the handlers of the ready sources except the supervisor's, in the kernel's order, as long as
  /// `goesOn` after each.
  func dispatchSources(while goesOn: () -> Bool) {
    for place in reactor.events {
      guard let event = reactor[place], case .other(let handler) = event.source else { continue }
      handler(event.readiness)
      guard goesOn() else { return }
    }
  }

  /// Resets the timer and the signal when the last wait found them, and runs the supervisor's handler.
  func dispatchRest() {
    do throws(SystemError) {
      _ = try reactor.takeExpiration()
      for place in reactor.events {
        guard let event = reactor[place] else { continue }
        switch event.source {
        case .loopSignal: try loopSignal.silence()
        case .supervisor(let handler): handler(event.readiness)
        case .other: break
        }
      }
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

/// Makes a loop's descriptor readable at once, from any thread.
final class LoopSignal: Sendable {
  private let counter: EventDescriptor
  private let isRinging = Atomic(false)

  init() throws(SystemError) { counter = try EventDescriptor() }

  var raw: Int32 { counter.raw }

  func ring() {
    guard !isRinging.exchange(true, ordering: .sequentiallyConsistent) else { return }
    // This fails only when the counter is full, and then the signal rings already.
    try? counter.signal()
  }

  /// The caller looks for work afterwards.
  func silence() throws(SystemError) {
    // The race: a ring between the two lines is not lost, because its work is looked for afterwards. In the
    // other order it would be taken from the counter, and no later ring would signal.
    _ = try counter.drain()
    isRinging.store(false, ordering: .sequentiallyConsistent)
  }
}

/// A descriptor that the application's loop watches, until ``cancel()``, which comes before the descriptor is
/// closed.
public final class Watch {
  private weak var loop: EventLoop?
  private let registration: Slot

  init(_ loop: EventLoop, _ registration: Slot) {
    (self.loop, self.registration) = (loop, registration)
  }

  /// Ends the watch; does nothing the second time.
  public func cancel() {
    loop?.remove(registration)
  }
}

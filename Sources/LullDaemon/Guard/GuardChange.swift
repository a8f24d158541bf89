import LullChannel
import LullGuard
import LullSystem
import LullWire

/// The change from one lull-guard to another one, in an upgrade. The old one guards until the new one watches
/// and has been told everything; then it is told to leave.
struct GuardChange {
  enum State {
    /// The new guard has not said that it watches.
    case trying
    case going
    case leaving
  }

  /// The guard that does not guard: the new one while it is tried, the old one after that.
  let other: GuardProcess
  private(set) var state = State.trying
  private(set) var until: Int64

  init(to other: GuardProcess, until: Int64) { (self.other, self.until) = (other, until) }

  /// The new guard watches: the change goes on with the old one.
  init(from old: GuardProcess, until: Int64) {
    self.init(to: old, until: until)
    state = .going
  }

  /// The old guard is told once. One that is stopped is continued.
  mutating func tellToLeave(_ journal: Journal) {
    switch state {
    case .trying: return
    case .going:
      state = .leaving
      other.link.queue(Message(.leave))
    case .leaving: break
    }
    other.link.flush()
    send(Signal.continue, journal)
  }

  /// A new guard's children end with it, or they would keep the listening socket and the lock; a lulld is in
  /// a session of its own.
  mutating func giveUp(_ journal: Journal) {
    until = .max
    if case .trying = state, let process = other.process {
      journal.ignoring(.ended, try Process.kill(group: process.pid, Signal.kill))
    }
    send(Signal.kill, journal)
  }

  private func send(_ signal: Int32, _ journal: Journal) {
    guard let process = other.process else { return }
    journal.ignoring(.ended, try process.send(signal))
  }
}

internal import LullEngine

extension Application {
  func setWakeTimer() {
    let next = timers.nextWaking
    guard next != wakeTimer, link.isUp, phase != .ended else { return }
    wakeTimer = next
    link.tell(.wakeIn(next.map { ($0 - clock()).clamped(to: Bounds.wakeTimers) }))
  }

  /// The supervisor has woken the program for its timers. They are due by its clock, which may be a faster
  /// one.
  func wakeTimerFired() {
    guard let wakeTimer else { return }
    self.wakeTimer = nil
    if timers.hasten(until: wakeTimer, to: clock()) { tickets.willHandle() }
  }
}

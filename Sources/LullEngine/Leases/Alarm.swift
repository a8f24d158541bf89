/// A moment that does not wait until a suspended machine is resumed by something else, and what is due then.
struct Alarm: Sendable {
  private(set) var moment = Moment.never
  private(set) var reason = ResumeReason.keepalive

  mutating func take(_ reason: ResumeReason, at moment: Moment) {
    if moment < self.moment { (self.moment, self.reason) = (moment, reason) }
  }
}

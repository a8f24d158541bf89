// What programs need of the machine: that it is resumed at a moment, and that it stays up.
extension App {
  /// The first moment at which the program needs a machine that runs: for its connections, for the data that
  /// waits for it, or because it asked for that. Everything else of `deadline` is about a program that runs,
  /// or can be done when the machine runs again.
  var alarm: ResumeAlarm {
    var next = ResumeAlarm()
    guard isStaying else { return next }
    next.take(.keepalive, at: keepAliveDue)
    next.take(.timer, at: wakeTimer)
    if let delayedWake { next.take(.data, at: delayedWake.moment) }
    guard isAsleep else { return next }
    next.take(.paths, at: pathsDue)
    if hasConnection { next.take(.timer, at: min(timers.latest, timers.nextLook)) }
    return next
  }

  /// The program has peers that give it up when its own timers do not run.
  private var hasConnection: Bool { registration.settings.modes.contains(.voip) && !lines.isEmpty }

  /// The program handles what woke it, with the tasks that it began for that, or is in a call, also one that
  /// rings.
  var holdsMachine: Bool {
    guard isStaying else { return false }
    // A call that rings is the conversation of an unmanaged client; its program may sleep meanwhile.
    guard !registration.isUnmanaged else { return callLease != nil }
    if wakeLease != nil || keepAliveLease != nil || !errands.isEmpty { return true }
    if state == .background, !tasks.isEmpty { return true }
    return !playbacks.isEmpty && (isRecording || callLease != nil)
  }
}

/// A moment that does not wait until a suspended machine is resumed by something else, and what is due then.
struct ResumeAlarm: Sendable {
  private(set) var moment = Moment.never
  private(set) var reason = ResumeReason.keepalive

  mutating func take(_ reason: ResumeReason, at moment: Moment) {
    if moment < self.moment { (self.moment, self.reason) = (moment, reason) }
  }
}

/// The programs for which the machine must stay up: one that handles a wake, a keep-alive or a call would
/// lose it to a machine that falls asleep.
struct MachineHold: Sendable {
  private var holds: [Bool] = []
  private(set) var count = 0

  mutating func set(_ slot: Int, _ isHeld: Bool) {
    while holds.count <= slot { holds.append(false) }
    guard holds[slot] != isHeld else { return }
    holds[slot] = isHeld
    count += isHeld ? 1 : -1
  }
}

extension Engine {
  /// The machine must stay up for a program.
  public var holdsMachine: Bool { machine.count > 0 }

  /// A program that is awake has not answered its delegate message yet.
  public var isTelling: Bool { apps.first { $0.isAwake && !$0.mail.isEmpty } != nil }
}

extension App {
  /// The first moment at which the program needs a machine that runs: for its connections, for the data that
  /// waits for it, or because it asked for that. Everything else of `deadline` is about a program that runs,
  /// or can be done when the machine runs again.
  var alarm: Alarm {
    var next = Alarm()
    guard isStaying else { return next }
    next.take(.keepalive, at: keepAliveDue)
    next.take(.timer, at: wakeTimer)
    if let delayedWake { next.take(.data, at: delayedWake.moment) }
    guard isAsleep else { return next }
    next.take(.paths, at: pathsDue)
    if hasConnection { next.take(.timer, at: min(timers.latest, timers.nextLook)) }
    return next
  }

  /// True for a program whose peers give it up when its own timers do not run.
  private var hasConnection: Bool { registration.settings.modes.contains(.voip) && !lines.isEmpty }
}

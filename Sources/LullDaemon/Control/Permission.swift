import LullWire

extension Request {
  /// True when a process of the program `name` may ask this (docs/PROTOCOL.md, "Who may ask what"). A process
  /// outside every program may ask everything.
  func mayBeAsked(byProgram name: String) -> Bool {
    switch self {
    case .status(let other, _), .lines(let other, _), .background(let other), .foreground(let other):
      other == nil || other == name
    case .why(let other), .wake(let other), .suspend(let other), .quit(let other, _): other == name
    case .audioRoute(let route): route.name == name
    case .log, .notifications, .answer, .quiet, .open, .lock, .unlock, .run, .started, .ended, .attach,
      .signal, .command:
      false
    case .hello, .register, .did, .done, .hold, .release, .keepalive, .wakeIn, .beginTask, .endTask,
      .remaining, .present, .schedule, .cancel, .scheduled, .handover, .ready, .bye, .ring, .doorbell,
      .session, .endSession, .doctor:
      true
    }
  }
}

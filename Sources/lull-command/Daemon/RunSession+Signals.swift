import LullSystem
import LullWire

// Signals.
extension RunSession {
  /// Passes a signal on to the program.
  mutating func handle(_ signal: Int32) throws(Failure) {
    unsent = signal
    switch signal {
    case Signal.terminalStop: try stop()
    default: try pass(.signal(name: name, number: signal))
    }
    unsent = nil
  }

  /// Ctrl-Z: the program goes to the background, where it may sleep, and lull stops: the shell goes on.
  /// SIGTSTP itself would be lost: the program has a process group of its own, which no shell controls.
  ///
  /// "fg" brings the program to the foreground again, if it was there: a program that sleeps by itself never
  /// is, and could not sleep in the foreground. After "bg" lull stops once more, as a reader of the terminal
  /// does: a program in the foreground would take the shell's input.
  private mutating func stop() throws(Failure) {
    if try isInForeground() { isSentBack = true }
    try pass(.background(name: name))
    while true {
      do {
        try Process.kill(Identity.pid(), Signal.stop)
      } catch {
        throw .failed("cannot stop: \(error)")
      }
      let isForeground = Terminal.isForeground(StandardStreams.input)
      if isForeground, isSentBack {
        isSentBack = false
        try pass(.foreground(name: name))
      }
      // A signal beside SIGCONT, as "kill %1" sends it, may end the program, and the end must be seen.
      let isSignaled = try passWaiting()
      if isForeground || isSignaled { return }
    }
  }

  private mutating func isInForeground() throws(Failure) -> Bool {
    let program = try pass(.status(name: name)).first { $0.itemKind == .program }
    return program?[.state] == "active" || program?[.state] == "inactive"
  }

  /// Passes on the signals that came while lull was stopped, so that SIGCONT wakes the program. True when
  /// there was any other signal.
  private mutating func passWaiting() throws(Failure) -> Bool {
    var isSignaled = false
    while let signal = try signals.next() {
      if signal != Signal.continue { isSignaled = true }
      try handle(signal)
    }
    return isSignaled
  }

  /// Sends a request whose refusal changes nothing: the program may have ended, and the next notice tells
  /// that.
  ///
  /// Returns the records of the answer; none when the request was refused.
  @discardableResult
  private mutating func pass(_ request: Request) throws(Failure) -> [Message] {
    while true {
      do throws(Failure) {
        return try connection.ask(request).items
      } catch .refused {
        return []
      } catch .connectionLost {
        if try !attachAgain() { throw .noDaemon }
      }
    }
  }
}

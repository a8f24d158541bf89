import LullSystem
import LullWire

extension RunSession {
  /// Has the command notice a signal. What the command has got already waits when it sleeps, so it is woken;
  /// what came here alone is passed on.
  mutating func handle(_ arrival: SignalArrival) {
    let signal = arrival.signal
    guard signal != Signal.child else { return }
    if child.hasGot(arrival) {
      // A program that sleeps draws nothing: it learns the new size of its window when it wakes. A stop goes
      // on by SIGCONT, which needs nobody's help.
      if signal != Signal.windowChange, signal != Signal.continue { passAsSent(signal) }
    } else if signal == Signal.continue, child.isStopped {
      child.send(signal)
    } else if pass(.signal(name: name, number: signal)) == nil {
      child.send(signal)
    }
  }

  mutating func passAsSent(_ signal: Int32) {
    pass(.signal(name: name, number: signal, sent: true))
  }

  /// The command was stopped, as Ctrl-Z or a read of the terminal in the background stops it: this process
  /// stops by the same signal, so that the shell sees its job stopped. A program in the foreground is in the
  /// background meanwhile, and comes back with the shell's "fg" or "bg".
  ///
  /// Where the daemon holds programs still by SIGSTOP, that signal is the daemon's.
  mutating func stop(by signal: Int32) throws(Failure) {
    guard isJob, isPlaced || signal != Signal.stop || !isManaged else { return }
    let isActive = isInForeground()
    if isActive { pass(.background(name: name)) }
    var (last, wasContinued): (Int32?, Bool) = (signal, false)
    do throws(SystemError) {
      while let signal = last {
        // SIGSTOP would stop this process also where no shell continues it, when the command goes on.
        wasContinued = try Signal.stop(by: signal == Signal.stop ? Signal.terminalStop : signal)
        let isStopped = child.isStopped
        // The race: after "bg" the command may have read the terminal, which has stopped the job again.
        last = try child.newStop()
        // SIGCONT may have been sent to this process alone. It is not read again with the other signals: then
        // it would undo a stop that came after it.
        if last == nil, isStopped, wasContinued { child.send(Signal.continue) }
      }
    } catch {
      throw .failed("cannot stop: \(error)")
    }
    // A job that goes on in the background of the shell runs, or "bg" would be of no use; and "fg" tells
    // nobody when it takes a running job to the foreground.
    if isActive { pass(.foreground(name: name)) } else if wasContinued { passAsSent(Signal.continue) }
  }

  mutating func isInForeground() -> Bool {
    let program = pass(.status(name: name))?.first { $0.itemKind == .program }
    return program?[.state] == "active" || program?[.state] == "inactive"
  }
}

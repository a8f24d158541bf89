import LullEngine
import LullSystem
import LullWire

// The end of a daemon for the next one. It has thawed everything and serves nobody any more. But until the
// next one has got everything, lull-guard alone would have it, and one SIGKILL leave nobody.
extension Daemon {
  /// The outcome of the wait for the next lulld.
  private enum Succession {
    /// The next lulld has everything.
    case complete
    /// lull-guard has died, and the next lulld without having got everything.
    case broken
    case late
  }

  /// Leaves everything to the next lulld: the guard starts it at once, and lull-audio plays on until that of
  /// the next lulld takes its sessions over. Returns when the next one has everything, or cannot get it.
  func giveWay() {
    let until = Clock.boottime() + host.policy.supervision.upgradeEnding.nanoseconds
    Alarm.set(seconds: Int(host.policy.supervision.upgradeEnding.seconds) + DaemonOptions.longestTurn)
    let way = sound.handOver()
    while Clock.boottime() < until, let (own, other) = journal.ignoring([], try UnixSocket.pair()) {
      sendAll(until)
      if let way { guardianship.tell(Message(.sound), descriptor: way) }
      guardianship.tell(Message(.upgrading), descriptor: other)
      sendAll(until)
      // The guard and the next lulld alone have it now.
      other.close()
      guard case .broken = journal.ignoring([], try wait(for: own, until)) else { return }
      replaceGuard(until)
    }
  }

  private func sendAll(_ until: Int64) {
    repeat { carryOut(guardianship.flush()) } while guardianship.sendsOn(until: until)
  }

  /// Waits for the leave to end.
  private func wait(for leave: DescriptorBox, _ until: Int64) throws(SystemError) -> Succession {
    var buffer = ReceiveBuffer(capacity: 16)
    while Clock.boottime() < until {
      _ = try Socket.poll(leave.raw, .readable, timeoutMilliseconds: 1000)
      // A guard that is stopped holds up everything.
      guardianship.proceed()
      switch try Socket.read(leave.raw, into: &buffer) {
      case .bytes: return .complete
      case .endOfStream: return .broken
      case .wouldBlock: continue
      }
    }
    return .late
  }

  /// Starts another guard in place of the dead one, which is told everything.
  private func replaceGuard(_ until: Int64) {
    guardianSpoke()
    // One that flaps is started later.
    while guardianship.pid == nil, Clock.boottime() < until {
      carryOut(guardianship.timeIsUp())
      guard guardianship.pid == nil else { return }
      let left = min(until, guardianship.deadline ?? until) - Clock.boottime()
      var none: [PollEntry] = []
      _ = try? Socket.pollMany(&none, timeoutMilliseconds: Int32(clamping: max(0, left) / 1_000_000 + 1))
    }
  }
}

import LullChannel
import LullSystem
import LullWire

/// The way back to a daemon that was restarted while its program runs on.
struct Reattachment {
  /// The time that a restarted daemon may take to accept again, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  let name: String
  /// The time that is left for it when the program has ended, in nanoseconds.
  private static let farewell: Int64 = 1_000_000_000

  /// Tells whether the program has not ended yet.
  let runsOn: () -> Bool

  /// A connection that is attached to the program; nil when no daemon knows the program, which may run on: a
  /// daemon that was restarted knows its programs before it answers anybody. One that is silent, or says what
  /// cannot be read, is waited for like one that is gone.
  /// Programs that a killed daemon and its killed guard left asleep are unfrozen, because no other process
  /// may be there to do it.
  func attach() -> Connection? {
    let leftovers = Leftovers()
    var deadline = Clock.boottime() + Self.patience
    while true {
      do throws(Failure) {
        var connection = try Daemon.connect()
        _ = try connection.ask(.attach(name: name))
        return connection
      } catch .refused(.noSuchProgram, _) {
        return nil
      } catch {
        Leftover.tell(leftovers.releaseIfOrphaned())
        if leftovers.isOrphaned, !leftovers.isHandedOver { return nil }
        guard Clock.boottime() < deadline else { return nil }
      }
      if !runsOn() { deadline = min(deadline, Clock.boottime() + Self.farewell) }
      Daemon.pause()
    }
  }
}

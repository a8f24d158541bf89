import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The room that is made for commands whose clients are about to start them: their names and their cgroups.
final class Reservations {
  /// The room for one command.
  struct Reservation {
    let client: Slot
    let run: Request.Run
    let registration: Registration
    /// The command with its arguments.
    let words: String
    /// nil where no cgroup can be written.
    let cgroup: Cgroup?
    fileprivate(set) var since: Int64 = 0

    var name: String { registration.name }
  }

  /// The time for which room is kept, in nanoseconds.
  private let time: Int64
  /// Oldest first, at most one for each client.
  private var waiting: [Reservation] = []

  init(_ services: SharedServices) {
    time = services.policy.stagingTime.nanoseconds / services.options.clockRate
  }

  func add(_ reservation: Reservation) {
    var reservation = reservation
    reservation.since = Clock.boottime()
    waiting.append(reservation)
  }

  /// True when a command that is about to start has this name.
  func hold(_ name: String) -> Bool { waiting.contains { $0.name == name } }

  /// The room that was made for a client's command.
  func take(_ client: Slot) -> Reservation? {
    waiting.firstIndex { $0.client == client }.map { waiting.remove(at: $0) }
  }

  /// The moment at which the oldest one is given up.
  var deadline: Int64? { waiting.first.map { $0.since + time } }

  /// A reservation whose command has not started in time.
  func takeOld(at now: Int64) -> Reservation? {
    guard let deadline, deadline <= now else { return nil }
    return waiting.removeFirst()
  }
}

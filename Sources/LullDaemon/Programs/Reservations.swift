import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The room that is made for commands whose clients are about to start them: their names and their cgroups.
final class Reservations {
  struct Reservation {
    let client: Slot
    let run: Request.Run
    let registration: Registration
    let words: String
    /// Nil where no cgroup can be written.
    let cgroup: Cgroup?
    fileprivate(set) var since: Int64 = 0

    var name: String { registration.name }
  }

  /// In nanoseconds.
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

  func hold(_ name: String) -> Bool { waiting.contains { $0.name == name } }

  func take(_ client: Slot) -> Reservation? {
    waiting.firstIndex { $0.client == client }.map { waiting.remove(at: $0) }
  }

  var deadline: Int64? { waiting.first.map { $0.since + time } }

  func takeOld(at now: Int64) -> Reservation? {
    guard let deadline, deadline <= now else { return nil }
    return waiting.removeFirst()
  }
}

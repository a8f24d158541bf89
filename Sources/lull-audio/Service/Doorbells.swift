import LullAudio
import LullChannel
import LullSystem

/// The programs' doorbells in the loop, by the numbers of the sessions.
final class Doorbells<Source> {
  private struct Watched {
    let doorbell: Doorbell
    let registration: Slot
  }

  private let reactor: Reactor<Source>
  private var watched: [UInt64: Watched] = [:]
  private var buffer = ReceiveBuffer(capacity: 64)

  init(in reactor: Reactor<Source>) { self.reactor = reactor }

  func watch(_ doorbell: Doorbell, as source: Source, of id: UInt64) {
    // The call fails for a descriptor that is no socket, which no program can ring.
    guard let registration = try? reactor.add(doorbell.raw, .readable, as: source) else { return }
    watched[id] = Watched(doorbell: doorbell, registration: registration)
  }

  func renumber(_ id: UInt64, to new: UInt64, as source: Source) {
    guard let doorbell = watched[id]?.doorbell else { return }
    unwatch(id)
    watch(doorbell, as: source, of: new)
  }

  func silence(_ id: UInt64) {
    guard let rung = watched[id], !rung.doorbell.silence(&buffer) else { return }
    // The program is gone, or will open its session anew: lulld closes this one.
    unwatch(id)
  }

  func unwatch(_ id: UInt64) {
    guard let watched = watched.removeValue(forKey: id) else { return }
    reactor.remove(watched.registration)
  }
}

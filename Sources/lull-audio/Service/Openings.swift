import LullAudio
import LullChannel
import LullSystem

/// The ring and the doorbell of each session. By its ring a session is known again when the next lulld opens
/// it under another number.
final class Openings {
  /// What the loop waits for.
  enum Source {
    case link
    /// The number is the session's.
    case doorbell(UInt64)
  }

  private struct Opening {
    var id: UInt64
    let ring: FileIdentity
    let doorbell: Doorbell
    /// Nil for a doorbell that nobody can ring.
    var registration: Slot?
  }

  /// Sessions that no lulld knows have numbers from here on, above all that a lulld gives out.
  private static let firstUnclaimed: UInt64 = 1 << 32

  private let reactor: Reactor<Source>
  private var openings: [Opening] = []
  private var buffer = ReceiveBuffer(capacity: 64)

  init(in reactor: Reactor<Source>) { self.reactor = reactor }

  func begin(_ id: UInt64, ring: FileIdentity, doorbell: Doorbell) {
    openings.append(Opening(id: id, ring: ring, doorbell: doorbell, registration: watch(doorbell, of: id)))
  }

  func end(_ id: UInt64) {
    guard let place = openings.firstIndex(where: { $0.id == id }) else { return }
    unwatch(place)
    openings.remove(at: place)
  }

  func silence(_ id: UInt64) {
    guard let place = openings.firstIndex(where: { $0.id == id }),
      !openings[place].doorbell.silence(&buffer)
    else { return }
    // The program is gone, or will open its session anew: lulld closes this one.
    unwatch(place)
  }

  /// The call fails for a descriptor that is no socket, which no program can ring.
  private func watch(_ doorbell: Doorbell, of id: UInt64) -> Slot? {
    try? reactor.add(doorbell.raw, .readable, as: .doorbell(id))
  }

  private func unwatch(_ place: Int) {
    if let registration = openings[place].registration.take() { reactor.remove(registration) }
  }

  /// The sessions of the lulld before that no program has claimed.
  var unclaimed: [UInt64] { openings.map(\.id).filter { $0 >= Self.firstUnclaimed } }

  /// The session of the lulld before with this ring.
  func unclaimed(_ ring: FileIdentity) -> UInt64? {
    openings.first { $0.id >= Self.firstUnclaimed && $0.ring == ring }?.id
  }

  /// Gives every session a number that no lulld gives out; returns the numbers of before and now.
  func disown() -> [(old: UInt64, new: UInt64)] {
    openings.indices.map { place in
      let (old, new) = (openings[place].id, Self.firstUnclaimed + UInt64(place))
      openings[place].id = new
      if openings[place].registration != nil {
        unwatch(place)
        openings[place].registration = watch(openings[place].doorbell, of: new)
      }
      return (old, new)
    }
  }
}

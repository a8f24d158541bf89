import LullMedia

/// Two sessions, one of which speaks to the other over a network that a test makes up. Time passes in frames
/// of 20 ms.
final class Loop {
  static let frame: Int64 = 20_000_000
  var speaker: MediaSession
  var listener: MediaSession
  var heard: [Int16] = []
  private var inFlight: [(arrival: Int64, datagram: [UInt8])] = []
  private var now: Int64 = 1_000_000_000

  init(_ settings: MediaSession.Settings = .init()) throws {
    speaker = try MediaSession(settings)
    listener = try MediaSession(settings)
  }

  /// Speaks, and listens 3 ms after each frame was handed over. `network` gives for each datagram, by its
  /// number, the times of its arrivals in milliseconds after it was sent: none, one or several. For the first
  /// `deaf` frames nothing is played: the listener's device is not open yet.
  func run(_ sound: [Int16], deaf: Int = 0, network: (Int) -> [Double] = { _ in [1] }) throws {
    var number = 0
    for start in stride(from: 0, to: sound.count - 959, by: 960) {
      if let datagram = try speaker.datagram(for: sound[start..<start + 960].span) {
        inFlight += network(number).map { (now + Int64($0 * 1e6), datagram) }
        number += 1
      }
      try listen(at: now + 3_000_000, plays: start >= deaf * 960)
      now += Loop.frame
    }
  }

  private func listen(at moment: Int64, plays: Bool) throws {
    let due = inFlight.filter { $0.arrival <= moment }.sorted { $0.arrival < $1.arrival }
    inFlight.removeAll { $0.arrival <= moment }
    for packet in due { _ = listener.receive(packet.datagram[...], at: packet.arrival) }
    guard plays else { return }
    var frame: [Int16] = []
    listener.play(into: &frame, at: moment)
    heard += frame
  }
}

import LullSystem
import Synchronization
import TestSupport

/// Several stage hands, each with the next play: most of a play is waiting.
final class Company: Sendable {
  private static let hands = 4

  private let page: ProtocolPage
  private let spoken: Spoken
  private let waiting: Mutex<[Play]>
  private let failures = Mutex<[String]>([])

  init(_ plays: [Play], page: ProtocolPage, spoken: Spoken) {
    (self.page, self.spoken) = (page, spoken)
    waiting = Mutex(plays)
  }

  /// Performs every play; returns what failed.
  func perform() throws -> [String] {
    let (here, there) = try UnixSocket.pair()
    defer { there.close() }
    let end = there.raw
    for _ in 0..<Self.hands {
      startThread { [self] in
        work()
        try? StandardStreams.write([0], to: end)
      }
    }
    var buffer = ReceiveBuffer(capacity: Self.hands)
    var finished = 0
    while finished < Self.hands {
      try Deadline(milliseconds: 200_000).wait(here.raw, .readable, for: "the end of a play")
      guard case .bytes = try Socket.read(here.raw, into: &buffer) else { break }
      finished += buffer.received.count
    }
    return failures.withLock(\.self)
  }

  private func work() {
    while let play = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      do {
        try StageHand(play, page: page, spoken: spoken).perform()
      } catch {
        failures.withLock { $0.append("\(play.name)\n  \(error)") }
      }
    }
  }
}

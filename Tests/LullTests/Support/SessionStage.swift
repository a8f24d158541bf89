import LullEngine
import LullRing
import LullSystem
import TestSupport
import Testing

@testable import Lull

/// A session of 1,000 frames of one byte, and the test's half of it.
final class SessionStage {
  let it: Managed
  let session: AudioSession
  let player: FakePlayer
  var events: [AudioSession.Event] { log.events }
  private let log = Log()

  final class Log { var events: [AudioSession.Event] = []; var onWants: ((AudioSession) -> Void)? }

  static let format = AudioFormat(rate: 8000, channels: 1, sample: .u8)
  static let capacity = 1000

  init(
    direction: AudioSession.Direction = .play, buffer: AudioSession.Buffer = .shallow(seconds: 0.125),
    onWants: ((AudioSession) -> Void)? = nil
  ) throws {
    it = try Managed()
    let log = log
    log.onWants = onWants
    session = try AudioSession(
      it.application, category: direction == .play ? .playback : .record, direction: direction,
      format: #require(SessionStage.format), buffer: buffer
    ) { session, event in
      log.events.append(event)
      if event == .wantsFrames { log.onWants?(session) }
    }
    player = try FakePlayer(it, capacity: session.capacity, frameBytes: 1)
    it.daemon.forget()
  }

  /// Lets the loop run until the events are these.
  func expect(_ expected: [AudioSession.Event]) throws {
    try it.until("the events are \(log.events)") { self.log.events.count >= expected.count }
    try settle()
    #expect(log.events == expected)
    log.events.removeAll()
  }

  /// Lets the loop run until it has no work.
  func settle() throws {
    var rounds = 0
    while try Socket.poll(it.application.fileDescriptor, .readable, timeoutMilliseconds: 0) != [] {
      it.application.dispatch()
      rounds += 1
      try #require(rounds < 100, "the loop does not come to rest")
    }
  }
}

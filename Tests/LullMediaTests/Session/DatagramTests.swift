import LullMedia
import TestSupport
import Testing

/// The datagrams that a session takes, and those that it ignores.
@Suite(.bounded) struct DatagramTests {
  private let silence = [Int16](repeating: 0, count: 960)

  private func packet(
    _ sequence: UInt16, type: UInt8 = 111, source: UInt32 = 7,
    payload: ArraySlice<UInt8> = [0xF8, 0xFF, 0xFE]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    RTPPacket(
      payloadType: type, sequence: sequence, timestamp: UInt32(sequence) * 960, source: source,
      payload: payload
    ).append(to: &bytes)
    return bytes
  }

  @Test func `Garbage and foreign packets are told apart, and counted`() throws {
    var session = try MediaSession()
    #expect(session.receive([], at: 0) == .ignored)
    #expect(session.receive([1, 2, 3], at: 0) == .ignored)
    #expect(session.receive(packet(1, type: 96)[...], at: 0) == .otherPayloadType(96))
    #expect(session.receive(packet(1, payload: [0xFF, 0x3F])[...], at: 0) == .ignored)
    #expect(session.receive([0x80, 0xC8, 0, 0], at: 0) == .ignored)
    #expect(session.receive(packet(1)[...], at: 0) == .media)
    #expect(session.receive(packet(1)[...], at: 0) == .media)
    #expect(session.statistics.received == 1 && session.statistics.duplicate == 1)
    #expect(session.statistics.ignored == 5)
  }

  @Test func `Another source is heard only when the first one has been quiet for a second`() throws {
    var session = try MediaSession()
    #expect(session.receive(packet(1)[...], at: 0) == .media)
    #expect(session.receive(packet(100, source: 8)[...], at: 999_000_000) == .ignored)
    #expect(session.receive(packet(101, source: 8)[...], at: 1_000_000_000) == .media)
    #expect(session.receive(packet(2)[...], at: 1_000_000_000) == .ignored)
  }

  @Test func `A session does not hear itself`() throws {
    var session = try MediaSession()
    let datagram = try #require(try session.datagram(for: silence.span))
    #expect(session.receive(datagram[...], at: 0) == .ignored)
  }

  @Test func `Stereo and frames of other lengths are played`() throws {
    var session = try MediaSession()
    var frame: [Int16] = []
    // Table of contents: CELT, 10 ms, stereo; then 60 ms of SILK, and two frames of 20 ms.
    for (number, payload) in [[0xF4, 1, 2], [0x18, 1, 2], [0xF9, 1, 2]].enumerated() {
      let bytes = packet(UInt16(number + 1), payload: payload.map { UInt8($0) }[...])
      #expect(session.receive(bytes[...], at: 0) == .media)
      session.play(into: &frame, at: 0)
      #expect(frame.count == 960)
    }
  }

  @Test func `Reports tell the round trip, and a good-bye is heard`() throws {
    var caller = try MediaSession()
    var called = try MediaSession()
    let way: Int64 = 30_000_000
    let datagram = try #require(try caller.datagram(for: silence.span))
    #expect(called.receive(datagram[...], at: way) == .media)
    #expect(called.receive(caller.report(at: 0, date: 5_000_000_000)[...], at: way) == .report)
    let answer = called.report(at: 1_000_000_000, date: 90_000_000_000)
    #expect(caller.receive(answer[...], at: 1_000_000_000 + way) == .report)
    let roundTrip = try #require(caller.statistics.roundTripMilliseconds)
    #expect(abs(roundTrip - 60) < 1)
    let last = caller.report(at: 0, date: 0, isLast: true)
    #expect(called.receive(last[...], at: 0) == .goodbye)
  }
}

import Fuzzing
import LullMedia
import TestSupport
import Testing

/// Two sessions over networks of all kinds.
@Suite(.bounded(seconds: 300)) struct MediaSessionTests {
  private static let tone = Signal.sine(440, amplitude: 0.25, count: 48_000 * 6)

  /// Expects the tone in each tenth of a second from the second one on.
  private func expectTone(_ heard: [Int16], atLeast least: Double = 0.15, _ comment: Comment? = nil) {
    for start in stride(from: 48_000, to: heard.count - 4800, by: 4800) {
      let level = Signal.amplitude(of: 440, in: heard[start..<start + 4800])
      #expect(level > least, comment ?? "\(level) at \(start)")
    }
  }

  @Test func `A tone is heard through an even network without a gap`() throws {
    let loop = try Loop()
    try loop.run(Self.tone)
    expectTone(loop.heard)
    let figures = loop.listener.statistics
    #expect(figures.received == 300 && figures.lost == 0 && figures.late == 0)
    #expect(figures.concealed == 0 && figures.recovered == 0)
    let delay = try #require(figures.mouthToEarMilliseconds(device: 0))
    #expect(delay <= 80, "\(delay) ms")
  }

  @Test func `One lost packet in ten is replaced by its copy in the next one`() throws {
    let loop = try Loop()
    try loop.run(Self.tone) { $0 % 10 == 7 ? [] : [1] }
    expectTone(loop.heard)
    let figures = loop.listener.statistics
    #expect(figures.lost == 30)
    #expect(figures.recovered >= 25, "\(figures)")
  }

  @Test func `Two losses in a row are concealed and recovered`() throws {
    let loop = try Loop()
    try loop.run(Self.tone) { [25, 26].contains($0 % 50) ? [] : [1] }
    expectTone(loop.heard, atLeast: 0.1)
    let figures = loop.listener.statistics
    #expect(figures.lost == 12 && figures.recovered >= 5 && figures.concealed >= 5, "\(figures)")
  }

  @Test func `Packets that overtake each other or come twice are played once and in order`() throws {
    let loop = try Loop()
    try loop.run(Self.tone) { $0 % 5 == 2 ? [25] : $0 % 7 == 3 ? [1, 2] : [1] }
    expectTone(loop.heard)
    let figures = loop.listener.statistics
    #expect(figures.lost == 0 && figures.received == 300 && figures.duplicate > 30)
  }

  @Test func `With uneven arrivals the delay grows until hardly any is late, and stays within its bound`()
    throws
  {
    let loop = try Loop()
    var random = SplitMix64(seed: 1)
    let delays = (0..<1200).map { _ in Double.random(in: 1...70, using: &random) }
    try loop.run(Signal.sine(440, amplitude: 0.25, count: 960 * 1200)) { [delays[$0]] }
    let figures = loop.listener.statistics
    #expect(figures.late + figures.concealed < 60, "\(figures)")
    #expect((35...130).contains(figures.waitMilliseconds), "\(figures)")
  }

  @Test func `A burst after a standstill does not stay as delay`() throws {
    let loop = try Loop()
    // For a second nothing comes, then all packets of it at once.
    try loop.run(Signal.sine(440, amplitude: 0.25, count: 48_000 * 12)) { number in
      (100..<150).contains(number) ? [Double(150 - number) * 20 + 1] : [1]
    }
    expectTone(Array(loop.heard[(48_000 * 4)...]))
    #expect(loop.listener.statistics.waitMilliseconds < 120)
  }

  @Test func `What came before the device was open does not stay as delay`() throws {
    let loop = try Loop()
    try loop.run(Signal.sine(440, amplitude: 0.25, count: 48_000 * 20), deaf: 15)
    #expect(loop.listener.statistics.waitMilliseconds < 60, "\(loop.listener.statistics)")
  }

  @Test func `With DTX silence is not sent, and the next talk spurt has the marker`() throws {
    var settings = MediaSession.Settings()
    settings.encoder.usesDTX = true
    var speaker = try MediaSession(settings)
    var packets: [RTPPacket] = []
    for number in 0..<300 {
      let speaks = number < 50 || number >= 250
      let frame = Signal.sine(440, amplitude: speaks ? 0.25 : 0, start: 960 * number, count: 960)
      if let datagram = try speaker.datagram(for: frame.span) {
        packets.append(try #require(RTPPacket(datagram[...])))
      }
    }
    // 100 frames of speech, about 10 until the encoder believes in the silence, and one in 400 ms.
    #expect((100...130).contains(packets.count), "\(packets.count) packets")
    let first = packets[0]
    for (index, packet) in packets.enumerated() {
      #expect(packet.sequence == first.sequence &+ UInt16(index))
    }
    let spoken = packets.filter { $0.timestamp &- first.timestamp >= 250 * 960 }
    #expect(first.marker && spoken[0].marker && spoken.count == 50)
    #expect(spoken[0].timestamp &- first.timestamp == 250 * 960)
    #expect(spoken.dropFirst().allSatisfy { !$0.marker })
  }

  @Test func `With DTX the pause is quiet, counts as no loss, and speech comes back`() throws {
    var settings = MediaSession.Settings()
    settings.encoder.usesDTX = true
    let loop = try Loop(settings)
    let silence = [Int16](repeating: 0, count: 48_000 * 4)
    try loop.run(Self.tone + silence + Self.tone)
    expectTone(Array(loop.heard[..<(48_000 * 6)]))
    #expect(Signal.level(loop.heard[(48_000 * 7)..<(48_000 * 9)]) < 0.01)
    expectTone(Array(loop.heard[(48_000 * 10)...]))
    let figures = loop.listener.statistics
    #expect(figures.lost == 0 && figures.concealed <= 20, "\(figures)")
    #expect(figures.received < 700)
  }

  @Test func `A peer that stops without a word leaves silence, not noise`() throws {
    let loop = try Loop(MediaSession.Settings())
    try loop.run(Self.tone, network: { $0 < 100 ? [1] : [] })
    #expect(Self.tone.count > 48_000 * 4)
    #expect(loop.heard.dropFirst(48_000 * 3).allSatisfy { $0 == 0 })
  }
}

import LullMedia
import TestSupport
import Testing

@Suite(.bounded) struct CodecTests {
  @Test(arguments: [200.0, 440, 1000, 3000])
  func `A tone comes out with its frequency and level`(_ frequency: Double) throws {
    var encoder = try OpusEncoder()
    var decoder = try OpusDecoder()
    var (packet, heard) = ([UInt8](), [Int16]())
    for number in 0..<100 {
      let frame = Signal.sine(frequency, amplitude: 0.25, start: 960 * number, count: 960)
      try encoder.encode(frame.span, into: &packet)
      try decoder.decode(packet[...], onto: &heard)
    }
    #expect(heard.count == 96_000)
    #expect((0.2...0.3).contains(Signal.amplitude(of: frequency, in: heard[48_000...])))
    #expect(Signal.amplitude(of: frequency * 1.5, in: heard[48_000...]) < 0.01)
  }

  @Test func `The encoder's look-ahead is 6,5 ms, and what it says is true`() throws {
    var encoder = try OpusEncoder()
    var decoder = try OpusDecoder()
    #expect(encoder.lookahead == 312)
    var (packet, heard) = ([UInt8](), [Int16]())
    for number in 0..<10 {
      let tone = Signal.sine(1000, amplitude: 0.5, count: 960)
      let frame = number < 5 ? [Int16](repeating: 0, count: 960) : tone
      try encoder.encode(frame.span, into: &packet)
      try decoder.decode(packet[...], onto: &heard)
    }
    let onset = try #require(heard.firstIndex { abs(Int($0)) > 4000 })
    #expect((0...480).contains(onset - 4800), "the tone begins \(onset - 4800) samples late")
  }

  @Test func `A lost frame comes from the copy in the next packet`() throws {
    var settings = OpusEncoder.Settings()
    settings.packetLoss = 20
    var encoder = try OpusEncoder(settings)
    var with = try OpusDecoder()
    var without = try OpusDecoder()
    var packets: [[UInt8]] = []
    var packet: [UInt8] = []
    // A tone that rises: no concealment knows what comes next.
    for number in 0..<60 {
      let frame = Signal.sine(number < 50 ? 300 : 900, amplitude: 0.3, start: 960 * number, count: 960)
      try encoder.encode(frame.span, into: &packet)
      packets.append(packet)
    }
    var (recovered, concealed) = ([Int16](), [Int16]())
    for number in 0..<51 {
      try with.decode(packets[number][...], onto: &recovered)
      try without.decode(packets[number][...], onto: &concealed)
    }
    try with.recover(960, from: packets[52][...], onto: &recovered)
    try without.conceal(960, onto: &concealed)
    #expect(recovered.count == 52 * 960 && concealed.count == 52 * 960)
    let (better, worse) = (recovered.suffix(480), concealed.suffix(480))
    #expect(Signal.amplitude(of: 900, in: better) > Signal.amplitude(of: 900, in: worse) * 1.1)
    #expect(Signal.amplitude(of: 900, in: better) > 0.15)
  }

  @Test func `What is no packet of Opus is an error in words`() throws {
    var decoder = try OpusDecoder()
    var samples: [Int16] = []
    // Code 3 with 63 frames, which would be longer than 120 ms.
    do throws(OpusError) {
      try decoder.decode([0xFF, 0x3F, 1, 2], onto: &samples)
      Issue.record("it was decoded")
    } catch {
      #expect(error.description == "Opus: corrupted stream")
    }
    #expect(samples.isEmpty)
  }
}

import TestSupport
import Testing

@testable import LullMedia

/// The buffer while nothing plays.
@Suite(.bounded) struct JitterBufferTests {
  private func packet(_ number: Int, timestamp: Int, bytes: Int = 8000) -> JitterBuffer.Stored {
    JitterBuffer.Stored(
      payload: Array(repeating: 0, count: bytes)[...], sequence: UInt16(truncatingIfNeeded: number),
      timestamp: UInt32(truncatingIfNeeded: timestamp), span: Opus.frame, arrival: 0)
  }

  @Test func `While nothing plays the last 200 ms are kept, and they are what plays first`() {
    var buffer = JitterBuffer()
    for number in 0..<600 { _ = buffer.put(packet(number, timestamp: number * Opus.frame)) }
    #expect(buffer.stored.count == 10)
    var first: JitterBuffer.Turn
    repeat { first = buffer.take(Opus.frame, played: Opus.frame) } while first == .nothing
    guard case .packet(let played, _) = first else {
      Issue.record("\(first)")
      return
    }
    #expect(played.sequence == 590)
  }

  @Test func `A buffer that has played keeps no more when the device stands still`() {
    var buffer = JitterBuffer()
    for number in 0..<10 {
      _ = buffer.put(packet(number, timestamp: number * Opus.frame))
      _ = buffer.take(Opus.frame, played: Opus.frame)
    }
    for number in 10..<600 { _ = buffer.put(packet(number, timestamp: number * Opus.frame)) }
    #expect(buffer.stored.count <= 10)
  }

  @Test func `Packets that all claim the same time are bounded, too`() {
    var buffer = JitterBuffer()
    for number in 0..<2000 { _ = buffer.put(packet(number, timestamp: 0)) }
    #expect(buffer.stored.count <= 200)
  }

  @Test func `A packet that no encoder writes is refused`() throws {
    var session = try MediaSession()
    var bytes: [UInt8] = []
    // Two frames of 20 ms and 1,000 bytes each, and 50,800 bytes of padding.
    let payload: [UInt8] = [0xFB, 0x42] + Array(repeating: 255, count: 200) + [0]
    let rest = Array(repeating: UInt8(0), count: 52_800)
    RTPPacket(payloadType: 111, sequence: 1, timestamp: 0, source: 7, payload: (payload + rest)[...])
      .append(to: &bytes)
    #expect(session.receive(bytes[...], at: 0) == .ignored)
  }
}

import LullAudio
import LullRing
import TestSupport
import Testing

@Suite(.bounded) struct ConvertTests {
  private func floats(_ bytes: [UInt8], _ format: SampleFormat) -> [Float] {
    var floats = [Float](repeating: .nan, count: bytes.count / format.bytes)
    unsafe bytes.withUnsafeBytes {
      guard let base = $0.baseAddress else { return }
      unsafe Convert.toFloat(base, format, count: floats.count, into: &floats)
    }
    return floats
  }

  private func bytes(_ floats: [Float], _ format: SampleFormat) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xaa, count: floats.count * format.bytes)
    unsafe Convert.fromFloat(floats, format, count: floats.count, into: &bytes)
    return bytes
  }

  private func samples(_ floats: [Float]) -> [Int16] {
    var samples = [Int16](repeating: 0x55, count: floats.count)
    unsafe Convert.fromFloat(floats, .s16, count: floats.count, into: &samples)
    return samples
  }

  private func littleEndian(_ values: [Int], bytes: Int) -> [UInt8] {
    values.flatMap { value in (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
  }

  @Test func `every value of 16 bits comes back as it was`() {
    let all = littleEndian(Array(-32768...32767), bytes: 2)
    let there = floats(all, .s16)
    #expect((there.first, there[32768], there.last) == (-1, 0, Float(32767) / 32768))
    #expect(bytes(there, .s16) == all)
  }

  @Test func `every value of 8 bits comes back as it was`() {
    let all = (0...255).map { UInt8($0) }
    #expect(floats(all, .u8)[0...1] == [-1, -127.0 / 128])
    #expect(bytes(floats(all, .u8), .u8) == all)
  }

  @Test func `values of 24 bits come back as they were`() {
    let values =
      Array(stride(from: -8_388_608, through: 8_388_607, by: 997)) + [-1, 0, 1, 8_388_607, -8_388_608]
    let all = littleEndian(values, bytes: 3)
    #expect(floats(all, .s24).suffix(3) == [Float(0x1p-23), Float(8_388_607) / 8_388_608, -1])
    #expect(bytes(floats(all, .s24), .s24) == all)
  }

  @Test func `values of 32 bits come back as far as a float holds them`() {
    let values = Array(stride(from: -0x8000_0000, through: 0x7fff_ff00, by: 0xff_fd00)) + [0, 1, -1, 100]
    let all = littleEndian(values, bytes: 4)
    #expect(bytes(floats(all, .s32), .s32) == all)
    #expect(floats(littleEndian([-0x8000_0000, 0x4000_0000], bytes: 4), .s32) == [-1, 0.5])
  }

  @Test func `what is beyond full scale is at full scale, and NaN is silence`() {
    let wild: [Float] = [1, 1.5, 1e30, .infinity, -1, -1.5, -1e30, -.infinity, .nan, -.nan, .signalingNaN, 0]
    let (top, low) = (32767, -32768)
    #expect(samples(wild) == [top, top, top, top, low, low, low, low, 0, 0, 0, 0].map(Int16.init))
    #expect(bytes(wild, .u8) == [255, 255, 255, 255, 0, 0, 0, 0, 128, 128, 128, 128])
    for (format, top) in [(SampleFormat.s24, 0x7f_ffff), (.s32, 0x7fff_ffff)] {
      let limits = [top, top, top, top] + Array(repeating: -top - 1, count: 4) + [0, 0, 0, 0]
      #expect(bytes(wild, format) == littleEndian(limits, bytes: format.bytes))
    }
    #expect(floats(bytes(wild, .f32), .f32) == [1, 1, 1, 1, -1, -1, -1, -1, 0, 0, 0, 0])
  }

  @Test func `floats are rounded to the nearest, halves to the even`() {
    let steps: [Float] = [0.4, 0.5, 0.6, 1.5, 2.5, -0.4, -0.5, -0.6, -1.5, -2.5, 100.49, 32766.6]
    #expect(samples(steps.map { $0 / 32768 }) == [0, 0, 1, 2, 2, 0, 0, -1, -2, -2, 100, 32767])
  }

  @Test func `floats of a program that are none are silence`() {
    let wild: [Float] = [
      .nan, .infinity, -.infinity, .signalingNaN, 0.25, -3, .leastNonzeroMagnitude, -0.0, 5,
    ]
    let raw = wild.flatMap { littleEndian([Int($0.bitPattern)], bytes: 4) }
    #expect(floats(raw, .f32) == [0, 0, 0, 0, 0.25, -3, .leastNonzeroMagnitude, 0, 5])
  }

  @Test(arguments: SampleFormat.allCases)
  func `no more is written than there are samples, whatever their number`(format: SampleFormat) {
    let source = (0..<40).map { Float($0) / 64 }
    for count in 0..<40 {
      var target = [UInt8](repeating: 0xaa, count: 41 * format.bytes)
      unsafe Convert.fromFloat(source, format, count: count, into: &target)
      #expect(target.dropFirst(count * format.bytes).allSatisfy { $0 == 0xaa })
      var back = [Float](repeating: 9, count: 41)
      unsafe Convert.toFloat(target, format, count: count, into: &back)
      #expect(Array(back.prefix(count)) == Array(source.prefix(count)))
      #expect(back.dropFirst(count).allSatisfy { $0 == 9 })
    }
  }
}

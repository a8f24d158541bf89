import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct SaturatingTests {
  @Test(arguments: [
    (0.0, Int64(0)), (1.9, 1), (-1.9, -1), (.nan, 0), (.infinity, .max), (-.infinity, .min), (1e19, .max),
    (-1e19, .min), (9_223_372_036_854_775_808, .max), (-9_223_372_036_854_775_808, .min),
    (1e15, 1_000_000_000_000_000),
  ])
  func `a number becomes the nearest whole one that is possible`(value: Double, whole: Int64) {
    #expect(Int64(saturating: value) == whole)
  }

  @Test func `narrow and unsigned numbers have ends of their own`() {
    #expect(Int16(saturating: 40_000) == .max)
    #expect(UInt8(saturating: -3) == 0)
    #expect(Int32(saturating: -3e9) == .min)
  }
}

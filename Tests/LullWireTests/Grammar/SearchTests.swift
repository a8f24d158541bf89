import TestSupport
import Testing

@testable import LullWire

@Suite(.bounded) struct SearchTests {
  @Test(
    arguments: [
      ("", "", 0), ("ab", "", 0), ("", "a", nil), ("ab", "abc", nil), ("aaab", "aab", 1), ("ab ab", "b", 1),
      ("a b", " b", 1), ("é", "e", nil),
    ] as [(String, String, Int?)])
  func `a part is found where it is for the first time`(text: String, part: String, place: Int?) {
    let found = text.place(of: part)
    #expect(found.map { text.distance(from: text.startIndex, to: $0.lowerBound) } == place)
    #expect(found.map { String(text[$0]) } == place.map { _ in part })
  }
}

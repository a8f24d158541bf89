import TestSupport
import Testing

@testable import LullWire

@Suite(.bounded) struct SpellingTests {
  @Test(arguments: [
    ("", "", 0), ("abc", "abc", 0), ("abc", "ab", 1), ("abc", "xbc", 1), ("abc", "acb", 1), ("abc", "", 3),
    ("stauts", "status", 1), ("ca", "abc", 3), ("kitten", "sitting", 3),
  ])
  func `the distance counts slips of the pen`(a: String, b: String, distance: Int) {
    #expect(Spelling.distance(Array(a.utf8), Array(b.utf8)) == distance)
    #expect(Spelling.distance(Array(b.utf8), Array(a.utf8)) == distance)
  }

  @Test func `every verb with one letter left out is recognised`() {
    for verb in Verb.allCases where verb.rawValue.utf8.count > 4 {
      let typed = String(verb.rawValue.dropLast())
      let suggestion = Spelling.nearest(to: typed, among: Verb.allCases.map(\.rawValue))
      #expect(suggestion == verb.rawValue || suggestion == typed, "\(typed)")
    }
  }

  @Test func `a short word is not taken for a verb with half of its letters`() {
    #expect(Spelling.nearest(to: "bell", among: Verb.allCases.map(\.rawValue)) == nil)
    #expect(Spelling.nearest(to: "wale", among: Verb.allCases.map(\.rawValue)) == "wake")
  }
}

import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct ReportTests {
  @Test func `every word for a refusal has a sentence of its own`() {
    let sentences = FreezeRefusal.allCases.map { RefusalText.lines(.init(reason: $0.rawValue))[0] }
    #expect(Set(sentences).count == FreezeRefusal.allCases.count)
    for (word, sentence) in zip(FreezeRefusal.allCases, sentences) {
      #expect(sentence != "could not sleep: \(word.rawValue)")
    }
  }

  @Test func `an answer without what it is about, or with a broken field, is refused`() {
    #expect(throws: WireError.missingField("kind=program")) { try WhyReport(status: [], why: []) }
    #expect(throws: WireError.missingField("kind=daemon")) { try Samples.report(["ok count=0"]) }
    #expect(throws: WireError.self) {
      try Samples.report([Samples.daemon, "item kind=program name=a state=active modes=voip pids=x"])
    }
  }
}

import Fuzzing
import Testing

/// What `Tools/fuzz` found worth keeping.
@Suite struct CorpusTests {
  @Test func `every kept input of the fuzzer is borne`() throws {
    for (name, bytes) in try Corpus.inputs("texts") {
      do throws(Flaw) {
        try fuzzTexts(bytes)
      } catch {
        Issue.record("Tests/Corpora/texts/\(name): \(error.what)")
      }
    }
  }
}

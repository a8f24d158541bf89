import Fuzzing
import Testing

/// What `Tools/fuzz` found worth keeping.
@Suite struct CorpusTests {
  @Test func `every kept input of the fuzzer is borne`() throws {
    for (name, bytes) in try Corpus.inputs("engine") {
      do throws(Flaw) {
        try fuzzEngine(bytes)
      } catch {
        Issue.record("Tests/Corpora/engine/\(name): \(error.what)")
      }
    }
  }
}

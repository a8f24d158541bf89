import Fuzzing
import Testing

/// What `Tools/fuzz` found worth keeping.
@Suite struct CorpusTests {
  @Test func `every kept input of the fuzzer is borne`() throws {
    for (name, bytes) in try Corpus.inputs("ring") {
      do throws(Flaw) {
        try fuzzRing(bytes)
      } catch {
        Issue.record("Tests/Corpora/ring/\(name): \(error.what)")
      }
    }
  }
}

import Fuzzing
import Testing

/// What `Tools/fuzz` found worth keeping.
@Suite struct CorpusTests {
  @Test func `every kept input of the fuzzer is borne`() throws {
    for (name, bytes) in try Corpus.inputs("media") {
      do throws(Flaw) {
        try fuzzMedia(bytes)
      } catch {
        Issue.record("Tests/Corpora/media/\(name): \(error.what)")
      }
    }
  }
}

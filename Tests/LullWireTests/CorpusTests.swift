import Fuzzing
import Testing

/// What `Tools/fuzz` found worth keeping.
@Suite struct CorpusTests {
  @Test func `every kept input of the fuzzer is borne`() throws {
    for (name, bytes) in try Corpus.inputs("wire") {
      do throws(Flaw) {
        try fuzzWire(bytes)
      } catch {
        Issue.record("Tests/Corpora/wire/\(name): \(error.what)")
      }
    }
  }
}

import Fuzzing
import Testing

/// What `Tools/fuzz` found worth keeping.
@Suite struct CorpusTests {
  @Test func `every kept input of the fuzzer is borne`() throws {
    #expect(try Corpus.flaws("ring", fuzzRing) == [])
  }
}

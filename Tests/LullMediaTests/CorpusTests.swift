import Fuzzing
import TestSupport
import Testing

/// The inputs that `Tools/fuzz` found worth keeping.
@Suite(.bounded) struct CorpusTests {
  @Test func `every kept input of the fuzzer is borne`() throws {
    #expect(try Corpus.flaws("media", fuzzMedia) == [])
  }
}

import LullSystem
import TestSupport
import Testing

/// The waits of the tests (Tests/Support/TestSupport/Waiting.swift).
@Suite(.bounded) struct WaitingTests {
  @Test func `a wait in vain in a thread of its own comes back to the test as an error`() async throws {
    let (here, there) = try UnixSocket.pair()
    let raw = here.raw
    let result = await withCheckedContinuation { continuation in
      startThread {
        continuation.resume(returning: Result { try ready(raw, .readable, within: 1, "nothing came") })
      }
    }
    there.close()
    let error = try #require(throws: NothingCame.self) { try result.get() }
    #expect(error.description.contains("nothing came (LullSystemTests/WaitingTests.swift:"))
  }

  @Test func `a wait in vain in the test is an issue of the test`() throws {
    let (here, there) = try UnixSocket.pair()
    try withKnownIssue {
      try ready(here.raw, .readable, within: 1, "nothing came")
    } matching: {
      $0.comments.contains("nothing came")
    }
    there.close()
  }
}

import LullEngine
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct FetchTests {
  /// Asleep, with a fetch of an hour.
  private static func sleeper() throws -> Embedded {
    let it = try Embedded(modes: [.fetch])
    try it.settle()
    #expect(it.application.setMinimumBackgroundFetchInterval(3600))
    it.application.finishedHandlingWake()
    try it.settle()
    #expect(it.application.applicationState == .suspended)
    it.recorder.events.removeAll()
    return it
  }

  @Test func `A fetch wakes the application, and its result lets it sleep`() throws {
    let it = try Self.sleeper()
    try it.advance(4499)
    #expect(it.recorder.events == [])
    try it.advance(1)
    #expect(it.recorder.events == ["didWake fetch", "performFetch"])
    #expect(it.application.applicationState == .background)
    try it.advance(20)
    #expect(it.application.applicationState == .background)
    it.recorder.fetches[0](.newData)
    try it.settle()
    #expect(it.application.applicationState == .suspended)
    it.recorder.fetches[0](.failed)
    try it.settle()
  }

  @Test func `Without a result its time is over after 30 s`() throws {
    let it = try Self.sleeper()
    try it.advance(4500)
    try it.advance(30)
    #expect(it.application.applicationState == .suspended)
    #expect(it.application.killReason == nil)
  }

  @Test func `An interval that is too short, or without the mode, is refused`() throws {
    let it = try Embedded(modes: [.fetch])
    #expect(!it.application.setMinimumBackgroundFetchInterval(899))
    #expect(!it.application.setMinimumBackgroundFetchInterval(.nan))
    #expect(it.application.setMinimumBackgroundFetchInterval(Application.backgroundFetchIntervalMinimum))
    #expect(it.application.setMinimumBackgroundFetchInterval(nil))
    #expect(try !Embedded(modes: .voip).application.setMinimumBackgroundFetchInterval(3600))
  }
}

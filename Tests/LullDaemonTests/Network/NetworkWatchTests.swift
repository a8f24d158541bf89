import LullEngine
import LullGuard
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

/// The window in which changes of the network are put together.
@Suite(.bounded) struct NetworkWatchTests {
  private let watch: NetworkWatch
  private let quiet = SupervisionPolicy().networkQuiet.nanoseconds
  private let longestWindow = SupervisionPolicy().networkWindow.nanoseconds

  init() throws { watch = NetworkWatch(try SharedServices(DaemonOptions())) }

  @Test func `a sleep of the machine opens a window, which closes once`() throws {
    #expect(watch.deadline == nil)
    watch.resumed(at: 100)
    #expect(watch.deadline == 100 + quiet)
    #expect(watch.timePassed(99 + quiet) == nil)
    watch.resumed(at: 200)
    let change = try #require(watch.timePassed(100 + quiet))
    #expect(change.hasResumed)
    #expect(watch.deadline == nil)
    #expect(watch.timePassed(.max) == nil)
  }

  @Test func `the next window is over two seconds later at the earliest`() throws {
    watch.resumed(at: 100)
    let end = try #require(watch.deadline)
    #expect(watch.timePassed(end) != nil)
    watch.resumed(at: end + 1)
    #expect(watch.deadline == end + longestWindow)
    watch.resumed(at: end + 2)
    #expect(watch.timePassed(end + longestWindow) != nil)
    watch.resumed(at: end + 100 * longestWindow)
    #expect(watch.deadline == end + 100 * longestWindow + quiet)
  }

  @Test func `a sleep of which logind tells counts once, with clocks that tell of it or without`() throws {
    watch.sleepBegins()
    watch.resumed(at: 100)
    #expect(watch.timePassed(100 + quiet) != nil)
    watch.resumed(at: 200 + quiet, isTold: true)
    #expect(watch.deadline == nil)
    watch.sleepBegins()
    watch.resumed(at: 100 * longestWindow, isTold: true)
    #expect(watch.deadline != nil)
  }

  @Test func `news of nothing open no window`() {
    watch.newsCame(at: 100)
    #expect(watch.deadline == nil)
  }
}

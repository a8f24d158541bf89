import Glibc
import LullSystem
import Synchronization
import TestSupport
import Testing

@testable import Lull

/// What other threads have done, for the test to read.
final class Seen<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }

  func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

@Suite(.bounded) struct MailboxTests {
  @Test func `What another thread posts runs on the thread of the loop, in its order`() throws {
    let it = try Embedded(launch: .foreground)
    try it.settle()
    let (mailbox, seen) = (it.application.mailbox, Seen<(Int, pthread_t)>())
    startThread {
      for number in 1...100 { mailbox.post { _ in seen.add((number, pthread_self())) } }
    }
    try it.until { seen.all.count == 100 }
    #expect(seen.all.map(\.0) == Array(1...100))
    let own = pthread_self()
    #expect(seen.all.allSatisfy { pthread_equal($0.1, own) != 0 })
  }

  @Test func `Nothing is lost when many threads post at once`() throws {
    let it = try Embedded(launch: .foreground)
    let (mailbox, seen) = (it.application.mailbox, Seen<Int>())
    for _ in 0..<8 {
      startThread { for number in 0..<1000 { mailbox.post { _ in seen.add(number) } } }
    }
    try it.until { seen.all.count == 8000 }
  }

  @Test func `Another thread can end the loop`() throws {
    let it = try Embedded(launch: .foreground)
    let mailbox = it.application.mailbox
    it.recorder.on["didBecomeActive active"] = { _ in startThread { mailbox.post { $0.stop() } } }
    it.application.run()
    #expect(it.application.applicationState == .active)
  }

  @Test func `A posted closure runs in a later turn`() throws {
    let it = try Embedded(launch: .foreground)
    try it.settle()
    let seen = Seen<Int>()
    it.application.post { seen.add(1) }
    #expect(seen.all.isEmpty)
    try it.settle()
    #expect(seen.all == [1])
  }

  @Test func `In the sleep of an embedded program it waits, and keeps no processor busy`() throws {
    let it = try Embedded()
    it.application.finishedHandlingWake()
    try it.settle()
    #expect(it.application.applicationState == .suspended)
    let seen = Seen<Int>()
    it.application.mailbox.post { _ in seen.add(1) }
    try it.settle()
    #expect(seen.all.isEmpty)
    it.application.requestForeground()
    try it.settle()
    #expect(seen.all == [1])
  }

  @Test func `After the end everything that was posted is dropped`() throws {
    let it = try Embedded(launch: .foreground)
    try it.settle()
    let mailbox = it.application.mailbox
    mailbox.post { _ in Issue.record("posted before") }
    it.application.leave()
    mailbox.post { _ in Issue.record("posted afterwards") }
    try it.settle()
    #expect(!mailbox.hasWork)
  }

  @Test func `A task is ended by the thread that did its work`() throws {
    let it = try Embedded()
    try it.settle()
    let task = try it.application.beginBackgroundTask(named: "upload") {}
    it.application.finishedHandlingWake()
    try it.settle()
    #expect(it.application.applicationState == .background)
    startThread {
      task.end()
      task.end()
    }
    try it.until { it.application.applicationState == .suspended }
    #expect(it.application.tasks.isEmpty)
  }

  @Test func `The word of a thread is void while an event waits for another one`() throws {
    let it = try Embedded()
    try it.settle()
    let mailbox = it.application.mailbox
    mailbox.eventCame()
    mailbox.finishedHandlingWake()
    try it.settle()
    #expect(it.application.applicationState == .background)
    mailbox.eventsTaken()
    try it.settle()
    #expect(it.application.applicationState == .background)
    mailbox.finishedHandlingWake()
    try it.settle()
    #expect(it.application.applicationState == .suspended)
  }
}

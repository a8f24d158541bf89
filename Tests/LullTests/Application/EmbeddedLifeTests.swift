import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct EmbeddedLifeTests {
  @Test func `A launch into the foreground sends its messages in their order`() throws {
    let it = try Embedded(launch: .foreground)
    #expect(it.application.applicationState == .inactive)
    try it.settle()
    #expect(
      it.recorder.events == ["willFinishLaunching inactive", "didFinishLaunching", "didBecomeActive active"])
  }

  @Test func `A launch into the background ends in sleep when the program has finished`() throws {
    let it = try Embedded()
    try it.settle()
    #expect(
      it.recorder.events == [
        "willFinishLaunching background", "didFinishLaunching", "didEnterBackground background",
      ])
    #expect(it.application.applicationState == .background)
    it.application.finishedHandlingWake()
    try it.settle()
    #expect(it.application.applicationState == .suspended)
  }

  @Test func `Home and back goes through every message`() throws {
    let it = try Embedded(launch: .foreground)
    try it.settle()
    it.recorder.events.removeAll()
    it.application.enterBackground()
    try it.settle()
    #expect(it.application.applicationState == .suspended)
    it.application.requestForeground()
    try it.settle()
    #expect(
      it.recorder.events == [
        "willResignActive active", "didEnterBackground background", "willEnterForeground background",
        "didBecomeActive active",
      ])
  }

  @Test func `Where others are suspended, a program that exits on suspend ends`() throws {
    let it = try Embedded(launch: .foreground, exitsOnSuspend: true)
    it.recorder.on["didBecomeActive active"] = { $0.enterBackground() }
    it.application.run()
    #expect(it.recorder.events.suffix(2) == ["willResignActive active", "willTerminate"])
    #expect(it.application.applicationState == .notRunning)
    #expect(it.application.killReason == .exitsOnSuspend)
  }

  @Test func `The loop can be run by another one`() throws {
    let it = try Embedded(launch: .foreground)
    let raw = it.application.fileDescriptor
    #expect(try Socket.poll(raw, .readable, timeoutMilliseconds: 0) == .readable)
    try it.settle()
    #expect(try Socket.poll(raw, .readable, timeoutMilliseconds: 0) == [])
    it.application.enterBackground()
    #expect(try Socket.poll(raw, .readable, timeoutMilliseconds: 0) == .readable)
  }

  @Test func `A timer waits for the end of the sleep and fires once`() throws {
    let it = try Embedded()
    var fired = 0
    it.application.schedule(after: 60, repeats: true) { fired += 1 }
    it.application.finishedHandlingWake()
    try it.settle()
    try it.advance(300)
    #expect(fired == 0)
    it.application.requestForeground()
    try it.settle()
    #expect(fired == 1)
    try it.advance(60)
    #expect(fired == 2)
  }

  @Test func `A timer that wakes ends the sleep`() throws {
    let it = try Embedded()
    var fired = 0
    it.application.schedule(after: 60, wakes: true) {
      fired += 1
      it.application.finishedHandlingWake()
    }
    it.application.finishedHandlingWake()
    try it.settle()
    #expect(it.application.applicationState == .suspended)
    try it.advance(59)
    #expect(fired == 0)
    try it.advance(1)
    #expect(fired == 1)
    #expect(it.application.wakeReason == .timer)
    #expect(it.application.applicationState == .suspended)
  }

  @Test func `A name that is none is refused`() {
    #expect(throws: LullError.invalidName("no name")) {
      try Application(name: "no name", host: .embedded)
    }
  }

  @Test func `After leaving nothing is left to do`() throws {
    let it = try Embedded()
    try it.settle()
    it.application.schedule(after: 1) { Issue.record("a timer of a program that left") }
    it.application.leave()
    try it.advance(2)
    #expect(it.application.applicationState == .notRunning)
    #expect(throws: LullError.ended) {
      try it.application.beginBackgroundTask(named: "late", expirationHandler: {})
    }
    it.application.run()
  }
}

@Suite(.bounded) struct EmbeddedKeepAliveTests {
  @Test func `A time-out below 600 seconds is refused and an earlier handler stays`() throws {
    let it = try Embedded()
    var runs = 0
    #expect(it.application.setKeepAliveTimeout(600) { runs += 1 })
    #expect(!it.application.setKeepAliveTimeout(599.9) {})
    #expect(!it.application.setKeepAliveTimeout(.nan) {})
    it.application.finishedHandlingWake()
    try it.settle()
    try it.advance(600)
    #expect(runs == 1)
  }

  @Test func `The handler runs every 600 seconds and sleep follows when it has finished`() throws {
    let it = try Embedded()
    var runs: [Double] = []
    let start = it.clock.now
    it.application.setKeepAliveTimeout(600) { [application = it.application, clock = it.clock] in
      runs.append((clock.now - start).seconds)
      application.finishedHandlingWake()
    }
    it.application.finishedHandlingWake()
    try it.settle()
    for _ in 0..<4 {
      try it.advance(600)
      #expect(it.application.applicationState == .suspended)
    }
    #expect(runs == [600, 1200, 1800, 2400])
    #expect(it.recorder.events.filter { $0 == "didWake keepalive" }.count == 4)
    #expect(it.application.wakeReason == .keepalive)
  }

  @Test func `Nil clears it`() throws {
    let it = try Embedded()
    it.application.setKeepAliveTimeout(600) { Issue.record("a handler that was cleared") }
    #expect(it.application.setKeepAliveTimeout(nil))
    it.application.finishedHandlingWake()
    try it.settle()
    try it.advance(1200)
    #expect(it.application.applicationState == .suspended)
  }
}

@Suite(.bounded) struct EmbeddedTaskTests {
  @Test func `A task keeps the program awake until it ends`() throws {
    let it = try Embedded()
    try it.settle()
    #expect(it.application.backgroundTimeRemaining == 10 && it.application.taskTimeRemaining == 600)
    #expect(it.application.suspension == .none)
    let task = try it.application.beginBackgroundTask(named: "upload") {}
    #expect(it.application.backgroundTimeRemaining == 600)
    it.application.finishedHandlingWake()
    try it.advance(100)
    #expect(it.application.applicationState == .background)
    #expect(it.application.backgroundTimeRemaining == 500)
    it.application.endBackgroundTask(task)
    it.application.endBackgroundTask(task)
    try it.settle()
    #expect(it.application.applicationState == .suspended)
  }

  @Test func `In the foreground time is unlimited`() throws {
    let it = try Embedded(launch: .foreground)
    try it.settle()
    #expect(it.application.backgroundTimeRemaining == .infinity)
  }

  @Test func `The expiration handler comes 5 seconds before the end and can end the task`() throws {
    let it = try Embedded()
    try it.settle()
    var expired = false
    var task: BackgroundTask?
    task = try it.application.beginBackgroundTask(named: "upload") { [application = it.application] in
      expired = true
      if let task { application.endBackgroundTask(task) }
    }
    try it.advance(594)
    #expect(!expired)
    try it.advance(1)
    #expect(expired)
    try it.advance(10)
    #expect(it.application.killReason == nil)
    #expect(it.application.applicationState == .suspended)
  }

  @Test func `A task that is still open at the end ends the program`() throws {
    let it = try Embedded()
    try it.settle()
    _ = try it.application.beginBackgroundTask(named: "upload") {}
    try it.advance(596)
    #expect(throws: LullError.noBackgroundTime) {
      try it.application.beginBackgroundTask(named: "another") {}
    }
    try it.advance(5)
    #expect(it.application.killReason == .taskLimit)
    it.application.run()
  }
}

@Suite(.bounded) struct EmbeddedNotificationTests {
  @Test func `In the background it is shown, and the chosen action wakes the program`() throws {
    let it = try Embedded()
    try it.settle()
    try it.application.present(LocalNotification(body: "New VOIP call", action: "Answer"))
    it.application.finishedHandlingWake()
    try it.settle()
    let shown = try #require(it.recorder.tokens.last)
    #expect(it.recorder.events.last == "show New VOIP call")
    #expect(it.application.applicationState == .suspended)
    #expect(throws: LullError.refused("the notification has no action \"Reject\"")) {
      try it.application.choose("Reject", for: shown)
    }
    try it.application.choose("Answer", for: shown)
    try it.settle()
    #expect(it.recorder.events.suffix(2) == ["didWake notification", "didChoose Answer"])
    #expect(it.recorder.tokens.last == shown)
  }

  @Test func `In the foreground it is handed over quietly`() throws {
    let it = try Embedded(launch: .foreground)
    try it.settle()
    try it.application.present(LocalNotification(body: "New VOIP call"))
    try it.settle()
    #expect(it.recorder.events.last == "didReceive New VOIP call")
  }

  @Test func `A scheduled one is shown in the sleep without waking, unless it was cancelled`() throws {
    let it = try Embedded()
    try it.settle()
    try it.application.schedule(LocalNotification(body: "tea"), after: 60)
    let cancelled = try it.application.schedule(LocalNotification(body: "coffee"), after: 60)
    #expect(it.application.cancel(cancelled))
    #expect(!it.application.cancel(cancelled))
    it.application.finishedHandlingWake()
    try it.settle()
    it.recorder.events.removeAll()
    try it.advance(60)
    #expect(it.recorder.events == ["show tea"])
    #expect(it.application.applicationState == .suspended)
  }

  @Test func `The 129th scheduled one is refused`() throws {
    let it = try Embedded()
    for _ in 0..<128 { try it.application.schedule(LocalNotification(body: "x"), after: 60) }
    #expect(throws: LullError.limitReached("at most 128 scheduled notifications")) {
      try it.application.schedule(LocalNotification(body: "x"), after: 60)
    }
    it.application.cancelAllNotifications()
    try it.application.schedule(LocalNotification(body: "x"), after: 60)
  }
}

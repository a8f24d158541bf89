import LullEngine
import LullWire
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct ObserverTests {
  @Test func `Observers are told what the delegate is told, after it and in their order`() throws {
    let it = try Embedded(launch: .foreground)
    let (first, second) = (Recorder(), Recorder())
    for observer in [first, second, first] { it.application.addObserver(observer) }
    var order: [String] = []
    it.recorder.on["didFinishLaunching"] = { _ in order.append("delegate") }
    first.on["didFinishLaunching"] = { _ in order.append("first") }
    second.on["didFinishLaunching"] = { _ in order.append("second") }
    try it.settle()
    it.application.enterBackground()
    try it.settle()
    it.application.requestForeground()
    try it.settle()
    #expect(order == ["delegate", "first", "second"])
    #expect(it.recorder.events.contains { $0.hasPrefix("didBecomeActive") })
    #expect(first.events == it.recorder.events)
    #expect(second.events == it.recorder.events)
  }

  @Test func `Who was removed is told nothing, not even the message that removed it`() throws {
    let it = try Embedded(launch: .foreground)
    let (first, second) = (Recorder(), Recorder())
    it.application.addObserver(first)
    it.application.addObserver(second)
    first.on["didFinishLaunching"] = { $0.removeObserver(second) }
    try it.settle()
    #expect(first.events.count == 3)
    #expect(second.events == ["willFinishLaunching inactive"])
  }

  @Test func `An observer is not retained`() throws {
    let it = try Embedded(launch: .foreground)
    weak var gone: Recorder?
    do {
      let observer = Recorder()
      gone = observer
      it.application.addObserver(observer)
    }
    #expect(gone == nil)
    try it.settle()
    #expect(it.application.observers.isEmpty)
  }

  @Test func `A delegate that observes as well is told once, and it alone shows notifications`() throws {
    let it = try Embedded()
    let observer = Recorder()
    it.application.addObserver(it.recorder)
    it.application.addObserver(observer)
    try it.settle()
    try it.application.present(LocalNotification(body: "New VOIP call"))
    try it.settle()
    #expect(it.recorder.events.count { $0 == "didFinishLaunching" } == 1)
    #expect(it.recorder.events.contains("show New VOIP call"))
    #expect(!observer.events.contains("show New VOIP call"))
  }

  @Test func `After a message in which the program left, nobody is told anything`() throws {
    let it = try Embedded(launch: .foreground)
    let observer = Recorder()
    it.application.addObserver(observer)
    it.recorder.on["didBecomeActive active"] = { $0.leave() }
    try it.settle()
    #expect(observer.events.last == "didFinishLaunching")
  }

  @Test func `The time by which wakes may be put off travels with the registration`() {
    var registration = Registration(name: "phone", modes: .voip)
    registration.settings.batchWakes = .seconds(60)
    #expect(registration.request(resume: nil).settings.batchWakes == .seconds(60))
    #expect(registration.request(resume: .background).settings.batchWakes == .seconds(60))
  }
}

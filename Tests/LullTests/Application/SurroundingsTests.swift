import LullEngine
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct SurroundingsTests {
  @Test func `Changes are told with what is so now`() throws {
    let it = try Managed()
    let recorder = it.recorder
    try it.daemon.send("event changed what=network,power,lock locked power=battery percent=80")
    try it.until { recorder.events.last == "changed network,power,lock" }
    #expect(it.application.isLocked)
    #expect(it.application.power == Power(.battery, percent: 80))
    try it.daemon.send("event changed what=lock power=battery percent=80")
    try it.until { recorder.events.last == "changed lock" }
    #expect(!it.application.isLocked)
  }

  @Test func `What is known already is no news from another daemon`() throws {
    let it = try Managed()
    let recorder = it.recorder
    try it.daemon.send("event changed what=power power=mains", "event changed what=power power=mains")
    try it.daemon.send("event changed what=memory power=mains")
    try it.until { recorder.events.last == "changed memory" }
    #expect(recorder.events.count { $0 == "changed power" } == 1)
  }

  @Test func `A lock is over with the daemon that told it`() throws {
    let it = try Managed()
    let recorder = it.recorder
    try it.daemon.send("event changed what=lock locked")
    try it.until { recorder.events.last == "changed lock" }
    _ = try it.restarted(1)
    try it.until { recorder.events.count { $0 == "changed lock" } == 2 }
    #expect(!it.application.isLocked)
  }

  @Test func `Files are closed while they are available, and are not afterwards`() throws {
    let it = try Managed()
    let recorder = it.recorder
    var available: [Bool] = []
    recorder.on["closes background"] = { available.append($0.isProtectedDataAvailable) }
    recorder.on["opens background"] = { available.append($0.isProtectedDataAvailable) }
    try it.daemon.send("event deliver message=protectedDataWillBecomeUnavailable ticket=8")
    let daemon = it.daemon
    try it.until { daemon.requests.last == "did ticket=8" }
    #expect(!it.application.isProtectedDataAvailable)
    try it.daemon.send("event deliver message=protectedDataDidBecomeAvailable ticket=9")
    try it.until { daemon.requests.last == "did ticket=9" }
    #expect(available == [true, true])
  }

  @Test func `An embedded application is told that its clock was not set at its start`() throws {
    let it = try Embedded(launch: .foreground)
    try it.settle()
    #expect(!it.recorder.events.contains { $0.hasPrefix("changed") })
  }
}

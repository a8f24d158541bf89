import LullSystem
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// The keeper that lulld starts for a program that is to come back.
@Suite(.bounded) struct LaunchTests {
  /// The race: lulld was stopped while its launch was on its way. Whoever stopped it has no other one then.
  @Test(arguments: [["p", "--reason", "crash"], ["p", "--reason", "user"]])
  func `a launch of a daemon that was stopped starts no other one`(words: [String]) throws {
    let lull = try Lull()
    #expect(try lull.run("install", "p", "--", "sleep", "1000").status == .exited(0))
    try expectNoStart(words, lull)
  }

  @Test func `nor does one of a detached program`() throws {
    let lull = try Lull()
    try lull.detach("p")
    try expectNoStart(["p", "--reason", "url", "--url", "sip:a"], lull)
  }

  private func expectNoStart(_ words: [String], _ lull: Lull) throws {
    let end = try lull.run("daemon", "stop", "--programs")
    #expect(end.status == .exited(0), "\(end.errors)")
    #expect(try lull.guardian.end() == .exited(0))
    let start = try lull.start(["keep"] + words)
    #expect(try start.errors.untilEnd().contains("no daemon"))
    #expect(try start.end() != .exited(0))
    #expect(throws: SystemError.self) { try lull.connect() }
    // One that was started all the same is ended, for the tests after this one.
    if (try? lull.connect()) != nil { _ = try lull.run("daemon", "stop", "--programs") }
  }
}

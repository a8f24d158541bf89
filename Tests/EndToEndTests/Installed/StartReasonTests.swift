import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// What is told of a start and of an end that somebody has asked for.
@Suite(.bounded) struct StartReasonTests {
  private let lull: Lull
  private var said: String { "\(lull.sandbox.directory)/said" }

  init() throws { lull = try Lull() }

  private var script: String { "echo $LULL_LAUNCH_REASON >>\(said); exec sleep 1000" }

  private func waitForReasons(_ expected: String...) throws {
    try eventually("it was launched for \((try? Kernel.text(said)) ?? ""), not \(expected)") {
      guard Files.exists(said) else { return false }
      return try Kernel.text(said).split(separator: "\n").map { String($0) } == expected
    }
  }

  private func place(_ name: String) throws {
    let folder = "\(lull.sandbox.directory)/config/lull/programs"
    try Files.makeDirectories(folder)
    try Kernel.write("-- /bin/sh -c \"\(script)\"\n", to: "\(folder)/\(name)")
  }

  private func launches(of name: String) throws -> [String?] {
    try lull.order("log name=\(name)").all(.entry).filter { $0[.what] == "launched" }.map { $0[.cause] }
  }

  private func stopDaemon() throws {
    #expect(try lull.run("daemon", "stop", "--programs").status == .exited(0))
  }

  @Test(arguments: ["install", "start", "restart"])
  func `a start that starts the daemon as well is one for the user`(command: String) throws {
    try stopDaemon()
    defer { try? stopDaemon() }
    if command != "install" { try place("p") }
    let words = command == "install" ? ["install", "p", "--", "sh", "-c", script] : [command, "p"]
    let child = try lull.start(words)
    #expect(try child.output.untilEnd().contains("p (pid "))
    #expect(try child.end() == .exited(0))
    try waitForReasons("user")
    #expect(try launches(of: "p") == ["user"])
    #expect(try lull.order("installed name=p").all(.installed).first?[.cause] == "user")
  }

  @Test func `a program that ends at once is told with its end`() throws {
    _ = try lull.run("status")
    let words = ["install", "crash", "--replace", "--", "sh", "-c", "echo no port; exit 3"]
    let install = try lull.seeEnd(of: "crash", words)
    let told =
      /lull: crash ended at once \(exit status 3\): no port(; started again .*)?; see "lull logs crash"\n/
    #expect(install.errors.wholeMatch(of: told) != nil && install.status == .exited(1), "\(install)")
  }

  @Test(arguments: [[], ["--keep-lines"]])
  func `an end by restart is told as one`(options: [String]) throws {
    let install = try lull.start(["install", "p"] + options + ["--", "sleep", "1000"])
    try #require(try install.end() == .exited(0))
    let restart = try lull.start(["restart", "p"] + options)
    _ = try (restart.output.untilEnd(), restart.errors.untilEnd())
    #expect(try restart.end() == .exited(0))
    #expect(try lull.order("status name=p all").all(.ended).map { $0[.reason] } == ["restarted"])
    let signal = options.isEmpty ? "SIGTERM" : "SIGKILL"
    #expect(try lull.run("log", "p").output.contains("restarted (\(signal))"))
    #expect(try lull.run("status", "--all").output.contains("restarted (\(signal))"))
    // The end of one that is quit is that still.
    #expect(try lull.run("quit", "p").status == .exited(0))
    #expect(try lull.run("why", "p").output.contains("p: quit (SIGTERM) at "))
  }
}

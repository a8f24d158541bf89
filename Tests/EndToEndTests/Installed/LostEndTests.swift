import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// What lulld knows of the ends of installed programs outlives it.
@Suite(.tags(.faults), .bounded(seconds: 240)) struct LostEndTests {
  private let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  /// Writes the file of a program before any daemon runs.
  private func write(_ text: String, as name: String) throws {
    let folder = "\(sandbox.directory)/config/lull/programs"
    try Files.makeDirectories(folder)
    try Kernel.write(text, to: "\(folder)/\(name)")
  }

  private func state(_ name: String, _ lull: Lull) throws -> Message {
    try #require(try lull.order("installed name=\(name)").all(.installed).first)
  }

  private func wait(_ name: String, until state: String, _ lull: Lull) throws {
    try eventually("\(name) is not \(state)") { (try? self.state(name, lull))?[.state] == state }
  }

  @Test func `a quit that the disk has no room for is told by list, and outlives lulld`() throws {
    let folder = "\(sandbox.directory)/state"
    try Kernel.check(unsafe mkdir(folder, 0o755))
    try Kernel.check(unsafe mount("none", folder, "tmpfs", 0, "size=64k"))
    defer { _ = unsafe umount2(folder, 2) }
    try Kernel.write(String(repeating: "x", count: 65_536), to: "\(folder)/full")
    try write("-- sleep 1000\n", as: "p")
    let lull = try Lull(sandbox: sandbox)
    try wait("p", until: "running", lull)
    let quit = try lull.run("quit", "p")
    #expect(quit.output == "p ended (SIGTERM)\n" && quit.status == .exited(0))
    try eventually("list does not tell it") {
      try lull.run("list").output.contains("; not on the disk: write ")
    }
    try lull.kill()
    try eventually("lulld did not come back") { (try? lull.order("hello")) != nil }
    #expect(try state("p", lull)[.state] == "quit")
    try Files.unlink("\(folder)/full")
    #expect(try lull.run("start", "p").status == .exited(0))
    #expect(try lull.run("quit", "p").errors == "")
  }

  @Test func `restart and purge go on over an upgrade`() throws {
    let installed = try Installation()
    let folder = "\(installed.sandbox.directory)/config/lull/programs"
    try Files.makeDirectories(folder)
    let ready = "\(installed.sandbox.directory)/ready-"
    func stubborn(_ name: String) -> String {
      "sh -c \"trap '' TERM; : >\(ready)\(name); while :; do sleep 1000 & wait; done\""
    }
    try Kernel.write("-- \(stubborn("r"))\n", to: "\(folder)/r")
    try Kernel.write("--purgeable\n-- \(stubborn("p"))\n", to: "\(folder)/p")
    let lull = try Lull(sandbox: installed.sandbox, binaries: installed.folder)
    for name in ["p", "r"] {
      try wait(name, until: "running", lull)
      try eventually("\(name) does not ignore SIGTERM") { Files.exists(ready + name) }
    }
    let journal = try lull.journal()
    let (purge, restart) = (try lull.start(["purge", "p"]), try lull.start(["restart", "r"]))
    try journal.wait("purged", of: "p")
    try eventually("r is not quit") { try state("r", lull)[.state] == "quit" }
    #expect(try installed.upgrade(lull).status == .exited(0))
    let (purged, restarted) = (try Installation.result(of: purge), try Installation.result(of: restart))
    #expect(purged.errors == "" && purged.status == .exited(0))
    #expect(purged.output.hasPrefix("p was purged"), "\(purged)")
    #expect(restarted.errors == "" && restarted.status == .exited(0))
    let words = /r was killed after \d+ s\nr \(pid \d+\)\n/
    #expect(restarted.output.wholeMatch(of: words) != nil, "\(restarted)")
    let p = try state("p", lull)
    #expect(p[.state] == "ended" && p[.restarts] == nil, "\(p)")
    #expect(try lull.order("status name=p all").all(.ended).map { $0[.reason] } == ["purged-by-operator"])
    #expect(try lull.run("why", "p").output.contains("p: purged (by hand)"))
  }
}

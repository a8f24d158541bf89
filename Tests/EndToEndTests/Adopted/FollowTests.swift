import LullSystem
import LullWire
import TestSupport
import Testing

/// What was adopted once is adopted again in its next life, as long as somebody follows it.
@Suite(.bounded) struct FollowTests {
  static let server = """
    import socket
    listener = socket.create_server(("127.0.0.1", 0))
    print("in", flush=True)
    listener.accept()
    """

  private let lull: Lull
  private let journal: Journal
  private let home: String
  private let folder: TemporaryDirectory

  init() throws {
    lull = try Lull()
    journal = try lull.journal()
    home = "\(lull.sandbox.cgroup)/stranger"
    folder = try TemporaryDirectory()
  }

  /// A process that somebody else starts, in a cgroup of its own.
  private func begin() throws -> ConnectedChild {
    _ = try Cgroup.create(at: home)
    let child = try ConnectedChild(
      ["sh", "-c", "echo $$ >\(home)/cgroup.procs; exec \"$@\"", "sh"] + Python.command(Self.server))
    #expect(try child.output.line() == "in")
    return child
  }

  private func end(_ life: ConnectedChild, of name: String) throws {
    try life.signal(Signal.kill)
    try life.end()
    try journal.wait("exited", of: name)
  }

  private func follow(_ words: String...) throws -> ConnectedChild {
    let path = "PATH=\(folder.path):\(Identity.environment("PATH") ?? "")"
    return try lull.start(["adopt", "--follow"] + words, prefix: ["env", path])
  }

  private func expectAdopted(_ life: ConnectedChild, by follower: ConnectedChild, as name: String) throws {
    #expect(
      try follower.output.line() == "\(name): adopted, pid \(life.pid); \"lull release \(name)\" lets it go")
    try journal.waitForSleep(of: name)
  }

  @Test func `each life in a cgroup is adopted, and stays so when nobody follows it any more`() throws {
    let follower = try follow("--cgroup", home, "--name", "it")
    for _ in 1...2 {
      let life = try begin()
      try expectAdopted(life, by: follower, as: "it")
      try end(life, of: "it")
    }
    let last = try begin()
    try expectAdopted(last, by: follower, as: "it")
    try follower.signal(Signal.terminate)
    #expect(try follower.end() == .exited(0))
    #expect(try lull.state(of: "it") == "suspended")
    // Who follows it anew finds it adopted, and waits for its end.
    let next = try follow("--cgroup", home, "--name", "it")
    try end(last, of: "it")
    try expectAdopted(try begin(), by: next, as: "it")
    try next.signal(Signal.interrupt)
    #expect(try next.end() == .exited(0))
  }

  @Test func `a unit is adopted when it runs, and what keeps it from that is told once`() throws {
    let script = """
      #!/bin/sh
      echo "Id=shop.service"; echo "LoadState=loaded"; cat "${0%/*}/state"
      """
    try Files.replace("\(folder.path)/systemctl", with: Array(script.utf8))
    try ConnectedChild(["chmod", "755", "\(folder.path)/systemctl"]).end()
    func setState(_ text: String) throws { try Files.replace("\(folder.path)/state", with: Array(text.utf8)) }
    try setState("ActiveState=inactive\n")
    let follower = try follow("--unit", "shop")
    #expect(
      try follower.errors.line()
        == #"lull: shop.service does not run (inactive); "systemctl start shop.service" starts it"#)
    let place = home.dropFirst(try CgroupMount.find().utf8.count)
    for _ in 1...2 {
      let life = try begin()
      try setState("ActiveState=active\nMainPID=\(life.pid)\nControlGroup=\(place)\n")
      try expectAdopted(life, by: follower, as: "shop")
      #expect(try lull.field(.origin, of: "shop") == "shop.service")
      try setState("ActiveState=inactive\n")
      try end(life, of: "shop")
    }
    try follower.signal(Signal.terminate)
    #expect(try follower.end() == .exited(0))
    #expect(try follower.errors.untilEnd() == "")
  }

  @Test(.tags(.faults))
  func `an installed file adopts under its own name, each life and under the next lulld`() throws {
    let programs = "\(lull.sandbox.directory)/config/lull/programs"
    try Files.makeDirectories(programs)
    try Files.replace("\(programs)/shop", with: Array("--linger 2\nadopt = cgroup \(home)\n".utf8))
    let early = try lull.run("start", "shop")
    #expect(early.status == .exited(1) && early.errors.contains("there is no cgroup"), "\(early.errors)")
    // lulld tries it again by itself.
    try end(expectAdopted(), of: "shop")
    // By a signal that is no crash, for which lulld starts nothing.
    let second = try expectAdopted()
    try second.signal(Signal.terminate)
    try journal.wait("exited", of: "shop")
    let third = try expectAdopted()
    #expect(try lull.run("start", "shop").output == "shop: adopted, pid \(third.pid)\n")
    #expect(try lull.run("list").output.contains("shop"))
    try lull.kill()
    let next = try lull.journal()
    try next.waitUntilAsleep("shop", lull)
    try third.signal(Signal.terminate)
    try next.wait("exited", of: "shop")
    let fourth = try begin()
    try next.waitForSleep(of: "shop")
    let remove = try lull.run("remove", "shop")
    #expect(remove.output == "shop is removed\n", "\(remove.errors)")
    #expect(try lull.order("status").all(.program).isEmpty && fourth.isAlive)
  }

  private func expectAdopted() throws -> ConnectedChild {
    let life = try begin()
    try journal.waitForSleep(of: "shop")
    #expect(try lull.field(.pids, of: "shop") == "\(life.pid)")
    #expect(try lull.field(.adopts, of: "shop") == "cgroup")
    return life
  }

  @Test func `what no other try mends is told at once`() throws {
    for words in [
      ["--pid", "1"], ["--cgroup", "relative"], ["--cgroup", home, "--linger", "soon"],
      ["--cgroup", home, "--env", "A=1"],
    ] {
      let result = try lull.run(["adopt", "--follow"] + words)
      #expect(result.status == .exited(64), "\(words)")
      #expect(!result.errors.isEmpty)
    }
  }
}

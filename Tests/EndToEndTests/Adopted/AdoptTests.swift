import LullSystem
import LullWire
import TestSupport
import Testing

/// What others started sleeps where it is, and is theirs again when it is let go.
@Suite(.bounded) struct AdoptTests {
  /// A program that somebody else has started in a cgroup of its own, with a child and a connection.
  private struct Stranger {
    let lull: Lull
    let journal: Journal
    let home: Cgroup
    let run: ConnectedChild
    let peer: Channel

    init(_ lull: Lull) throws {
      self.lull = lull
      journal = try lull.journal()
      home = try Cgroup.create(at: "\(lull.sandbox.cgroup)/stranger")
      let server = try Server()
      run = try ConnectedChild(
        ["sh", "-c", "echo $$ >\(home.path)/cgroup.procs; exec \"$@\"", "sh"]
          + Python.command(AdoptTests.echo, "\(server.port)"))
      peer = try server.accept()
      #expect(try run.output.line() == "ready")
    }

    func adopt(_ words: String...) throws {
      let result = try lull.run(["adopt", "--name", "stranger"] + words)
      #expect(result.output == "stranger: adopted, pid \(run.pid); \"lull release stranger\" lets it go\n")
      #expect(result.status == .exited(0), "\(result.errors)")
      try journal.waitForSleep(of: "stranger")
    }

    func expectEcho() throws {
      try peer.send("hello\n")
      #expect(try peer.line() == "hello")
    }

    /// As it was before.
    func expectReleased() throws {
      #expect(try home.processes().contains(run.pid) && home.processes().count == 2)
      #expect(try Cgroup.children(of: home.path) == [])
      try expectEcho()
    }
  }

  private static let echo = """
    import os, signal, socket, sys
    def bye(*_):
      print("bye", flush=True)
      sys.exit(3)
    peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    if os.fork() == 0:
      while True: signal.pause()
    signal.signal(signal.SIGTERM, bye)
    print("ready", flush=True)
    while line := peer.recv(4096): peer.sendall(line)
    """

  @Test func `a process sleeps below the cgroup that it has, and goes back at its release`() throws {
    let stranger = try Stranger(Lull())
    let lull = stranger.lull
    try stranger.adopt("--pid", "\(stranger.run.pid)")
    let cgroup = try lull.cgroup(of: "stranger")
    #expect(cgroup.path.hasPrefix(stranger.home.path + "/lull-"))
    #expect(try cgroup.state().frozen && cgroup.processes().count == 2)
    #expect(try lull.field(.adopts, of: "stranger") == "process")
    try stranger.expectEcho()
    try stranger.journal.wait("woke", of: "stranger", cause: "data")
    try stranger.journal.waitForSleep(of: "stranger")
    let quit = try lull.run("quit", "stranger")
    #expect(quit.status == .exited(1))
    #expect(quit.errors.contains("who started it ends it"), "\(quit.errors)")
    let release = try lull.run("release", "stranger")
    #expect(release.status == .exited(0), "\(release.errors)")
    try stranger.expectReleased()
    #expect(try lull.order("status").all(.program).isEmpty)
  }

  /// LULL_ROUNDS: more rounds, by hand.
  @Test func `no byte is lost where it is adopted and let go again and again`() throws {
    let stranger = try Stranger(Lull())
    let rounds = Identity.environment("LULL_ROUNDS").flatMap { Int($0) } ?? 20
    for round in 0..<rounds {
      try stranger.peer.send("\(round) before\n")
      let adopt = try stranger.lull.run(["adopt", "--name", "stranger", "--pid", "\(stranger.run.pid)"])
      #expect(adopt.status == .exited(0), "\(adopt.errors)")
      try stranger.peer.send("\(round) adopted\n")
      if round.isMultiple(of: 10) { try stranger.journal.waitForSleep(of: "stranger") }
      try stranger.peer.send("\(round) last\n")
      #expect(try stranger.lull.run("release", "stranger").status == .exited(0))
      for word in ["before", "adopted", "last"] { #expect(try stranger.peer.line() == "\(round) \(word)") }
    }
    try stranger.expectReleased()
  }

  @Test func `one that forks all the time leaves no cgroup behind at its release`() throws {
    let lull = try Lull()
    let home = try Cgroup.create(at: "\(lull.sandbox.cgroup)/forking")
    let forks =
      "echo $$ >\(home.path)/cgroup.procs; echo ready; while :; do (:) & done 2>/dev/null"
    let run = try ConnectedChild(["sh", "-c", "ulimit -u 2000; \(forks)"])
    #expect(try run.output.line() == "ready")
    #expect(try lull.run("adopt", "--cgroup", home.path, "--name", "forking").status == .exited(0))
    #expect(try lull.run("release", "forking").status == .exited(0))
    #expect(try Cgroup.children(of: home.path) == [])
    try home.killAll()
  }

  @Test func `what its supervisor starts beside it runs, and the supervisor's own freeze is another one`()
    throws
  {
    let stranger = try Stranger(Lull())
    try stranger.adopt("--cgroup", stranger.home.path)
    let beside = try ConnectedChild(["sh", "-c", "echo $$ >\(stranger.home.path)/cgroup.procs; echo beside"])
    #expect(try beside.output.line() == "beside")
    try stranger.home.freeze()
    try stranger.home.thaw()
    #expect(try stranger.lull.cgroup(of: "stranger").isFreezeAsked())
    try stranger.expectEcho()
    try stranger.journal.waitForSleep(of: "stranger")
    // What comes to it now waits until the supervisor lets it go.
    try stranger.home.freeze()
    try stranger.peer.send("hello\n")
    try stranger.journal.wait("woke", of: "stranger")
    let why = try stranger.lull.run("why", "stranger").output
    #expect(why.contains("somebody else has frozen it"), "\(why)")
    try stranger.home.thaw()
    #expect(try stranger.peer.line() == "hello")
  }

  /// Without the right to watch signals lulld looks for them.
  @Test(arguments: [[], ["setpriv", "--bounding-set", "-sys_admin,-perfmon"]])
  func `a signal that somebody sends reaches the sleeper`(prefix: [String]) throws {
    let stranger = try Stranger(Lull(prefix: prefix))
    try stranger.adopt("--pid", "\(stranger.run.pid)")
    try stranger.run.signal(Signal.terminate)
    #expect(try stranger.run.output.line() == "bye")
    #expect(try stranger.run.end() == .exited(3))
  }

  @Test(.tags(.faults)) func `the next lulld takes it back, and a stop of lulld ends nothing`() throws {
    let stranger = try Stranger(Lull())
    let lull = stranger.lull
    try stranger.adopt("--pid", "\(stranger.run.pid)")
    try lull.kill()
    let journal = try lull.journal()
    try journal.waitUntilAsleep("stranger", lull)
    try stranger.expectEcho()
    try journal.waitForSleep(of: "stranger")
    let stop = try lull.run("daemon", "stop", "--programs")
    #expect(stop.status == .exited(0), "\(stop.errors)")
    try stranger.expectReleased()
  }

  @Test(.tags(.faults)) func `the next lulld sees signals as well`() throws {
    let stranger = try Stranger(Lull())
    try stranger.adopt("--pid", "\(stranger.run.pid)")
    try stranger.lull.kill()
    try stranger.lull.journal().waitUntilAsleep("stranger", stranger.lull)
    try stranger.run.signal(Signal.terminate)
    #expect(try stranger.run.output.line() == "bye")
  }

  @Test func `its end is seen, and belongs to its parent`() throws {
    let stranger = try Stranger(Lull())
    try stranger.adopt("--cgroup", stranger.home.path)
    try stranger.home.killAll()
    try stranger.journal.wait("exited", of: "stranger")
    #expect(try stranger.run.end() == .signaled(Signal.kill))
    #expect(try stranger.lull.order("status").all(.program).isEmpty)
  }

  @Test(arguments: [false, true])
  func `one that somebody moves to another cgroup is let go`(isAwake: Bool) throws {
    let stranger = try Stranger(Lull())
    try stranger.adopt("--pid", "\(stranger.run.pid)", "--linger", "3")
    let cgroup = try stranger.lull.cgroup(of: "stranger")
    if isAwake {
      try stranger.expectEcho()
      try stranger.journal.wait("woke", of: "stranger")
    }
    for pid in try cgroup.processes() { try stranger.home.move(pid) }
    try stranger.journal.wait("left", of: "stranger")
    try stranger.expectReleased()
    #expect(try stranger.lull.order("status").all(.program).isEmpty)
  }

  @Test func `what cannot be adopted is refused in one line, and nothing is frozen`() throws {
    let stranger = try Stranger(Lull())
    let lull = stranger.lull
    func refusal(_ words: String...) throws -> String {
      let result = try lull.run(["adopt"] + words)
      #expect(result.status != .exited(0) && result.errors.split(separator: "\n").count == 1, "\(words)")
      return result.errors
    }
    #expect(try refusal("--pid", "1").contains("pid 1 cannot be put to sleep"))
    #expect(try refusal("--pid", "\(lull.pid)").contains("a process of Lull itself"))
    #expect(try refusal("--pid", "\(Identity.pid())").contains("would sleep with it"))
    #expect(try refusal("--pid", "0").contains("must be the number of a process"))
    #expect(try refusal("--cgroup", "/no/such").contains("there is no cgroup /no/such"))
    #expect(try refusal("--cgroup", "relative").contains("must be an absolute path"))
    #expect(try refusal("--container", "none", "--runtime", "/no/such").contains("not found"))
    // Only for a program that Lull starts.
    for option in ["--purgeable", "--keep-lines", "--exits-on-suspend", "--env=A=1"] {
      #expect(try lull.run("adopt", "--pid", "\(stranger.run.pid)", option).status == .exited(64))
    }
    // The parent has not taken its status yet.
    let zombie = try ConnectedChild(["true"])
    _ = try zombie.output.untilEnd()
    try eventually("it runs on") { try ProcessEntry(of: zombie.pid).isZombie }
    #expect(try refusal("--pid", "\(zombie.pid)").contains("the process has ended"))
    let gone = try ConnectedChild(["true"])
    try gone.end()
    #expect(try refusal("--pid", "\(gone.pid)").contains("no process \(gone.pid)"))
    try stranger.home.freeze()
    #expect(try refusal("--cgroup", stranger.home.path).contains("somebody else has frozen"))
    try stranger.home.thaw()
    try stranger.adopt("--pid", "\(stranger.run.pid)")
    #expect(try refusal("--pid", "\(stranger.run.pid)").contains(#"a part of the program "stranger""#))
    #expect(try lull.run("release", "nobody").status == .exited(1))
    #expect(try lull.order("status").all(.program).count == 1)
  }
}

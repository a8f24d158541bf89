import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Clients that take all that they can get (docs/SECURITY.md).
@Suite(.bounded) struct HostileClientTests {
  @Test func `status and quit work while a program and a process hold every connection that they get`() throws
  {
    let daemon = try DaemonProcess(openFiles: 300)
    let boss = try daemon.connect()
    let (here, there) = try UnixSocket.pair()
    // The shell's processes count as one program; cat keeps their input open.
    let script = "for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 | nc -U '\(daemon.socket)' & done; wait"
    #expect(try boss.run(["sh", "-c", script], output: there.raw).isOK)
    there.close()
    try Lines(of: here.raw).read("a refusal") { $0.starts(with: "error code=too-many-clients ".utf8) }
    var others: [Peer] = []
    for _ in 0..<8 { others.append(try daemon.connect()) }
    let operating = try daemon.netcat()
    #expect(try operating.ask("status").items(.program).count == 1)
    #expect(try operating.ask("quit name=sh").isOK)
    try eventually("the program did not end") { try operating.ask("status").items(.program).isEmpty }
  }

  @Test func `half lines, answers that nobody takes and long errors cost bounded memory`() throws {
    let daemon = try DaemonProcess(hasCgroups: false)
    let boss = try daemon.connect()
    let name = String(repeating: "n", count: 4000)
    var peers: [Peer] = []
    for _ in 0..<250 { peers.append(try daemon.connect()) }
    for (index, peer) in peers.enumerated() {
      try peer.say("log follow\n")
      let error = "wake name=\(name)\n"
      for _ in 0..<(index % 2 == 0 ? 16 : 1) { try? peer.tell(error) }
      try? peer.tell("lines all\nstatus\n" + String(repeating: "x", count: 4000))
    }
    for number in 0..<200 {
      #expect(try boss.ask("why name=\(name)").code == .badValue)
      if number % 4 == 0 { try boss.ask("signal name=x number=\(number)") }
    }
    #expect(try boss.run(["true"]).isOK)
    _ = try boss.notice(.exited)
    #expect(try boss.ask("status").isOK)
    #expect(try daemon.highWater() < 32 << 20)
  }

  @Test func `a follower that reads nothing is dropped, and many of them cost bounded memory`() throws {
    let daemon = try DaemonProcess(hasCgroups: false)
    let boss = try daemon.connect()
    var followers: [Peer] = []
    for _ in 0..<60 {
      followers.append(try daemon.connect())
      #expect(try followers.last?.ask("log last=0 follow").isOK == true)
    }
    let program = try daemon.connect()
    let name = String(repeating: "n", count: 64)
    #expect(try program.ask("register name=\(name) modes=voip resume=active").isOK)
    let open = try daemon.openSockets()
    var tasks = 0
    try eventually("no follower was dropped") {
      var lines = ""
      for _ in 0..<50 {
        tasks += 1
        lines += "begin-task name=x\nend-task task=\(tasks)\n"
      }
      try program.say(lines)
      #expect(try program.responses(100).allSatisfy(\.isOK))
      return try !open.isSubset(of: daemon.openSockets())
    }
    #expect(try boss.ask("status").isOK)
    #expect(try daemon.highWater() < 64 << 20)
  }

  @Test func `a staged command costs no memory, however long it is`() throws {
    let daemon = try DaemonProcess()
    #expect(try daemon.connect().run(["true"]).isOK)
    let before = try daemon.highWater()
    var bytes = Array("true\0".utf8)
    while bytes.count < 2_000_000 { bytes += Array(repeating: UInt8(ascii: "x"), count: 999) + [0] }
    let file = try Files.memoryFile(name: "command", bytes)
    var peers: [Peer] = []
    for _ in 0..<20 {
      let peer = try daemon.connect()
      #expect(try peer.ask("command arguments=1", descriptor: file.raw).isOK)
      peers.append(peer)
    }
    #expect(try daemon.highWater() - before < 6 << 20)
    #expect(try peers[0].ask("run").isOK)
    #expect(try daemon.highWater() - before < 6 << 20)
  }

  @Test func `a command with more than the kernel takes is refused`() throws {
    let daemon = try DaemonProcess()
    let peer = try daemon.connect()
    // A million strings of one byte are 2 MiB, and 8 MiB of pointers.
    let many = Array("true\0".utf8) + Array(repeating: [UInt8(ascii: "a"), 0], count: 1_000_000).joined()
    let file = try Files.memoryFile(name: "command", many)
    #expect(try peer.ask("command arguments=1", descriptor: file.raw).isOK)
    #expect(try peer.ask("run").code == .badValue)
    let long = try Files.memoryFile(name: "command", Array(repeating: UInt8(ascii: "x"), count: 2_097_153))
    let refused = try peer.ask("command arguments=1", descriptor: long.raw)
    #expect(refused.explanation?.verb == .commandUnreadable && refused.explanation?.limit == 2_097_152)
    #expect(try daemon.highWater() < 32 << 20)
  }

  @Test func `only a file in memory is read as a command`() throws {
    let daemon = try DaemonProcess()
    let peer = try daemon.connect()
    let (here, there) = try UnixSocket.pair()
    #expect(try peer.ask("command arguments=1", descriptor: here.raw).code == .badValue)
    #expect(try peer.ask("command arguments=1", descriptor: there.raw).code == .badValue)
    let directory = try Files.openDirectory("/")
    #expect(try peer.ask("command arguments=1", descriptor: directory.raw).code == .badValue)
    #expect(try peer.run(["true"]).isOK)
  }

  @Test func `descriptors that come with half a line are not kept`() throws {
    let daemon = try DaemonProcess()
    let peer = try daemon.connect()
    #expect(try peer.ask("hello").isOK)
    let null = try Files.openNull()
    for byte in "st" { try peer.say("\(byte)", descriptor: null.raw) }
    let reply = try peer.response()
    #expect(reply.code == .malformed)
    #expect(reply.last[.message]?.contains("one descriptor travels with a line") == true)
    #expect(try peer.isEnded())
    let other = try daemon.connect()
    let (_, doorbell) = try UnixSocket.pair()
    #expect(try other.ask("doorbell", descriptor: doorbell.raw).isOK)
  }

  @Test func `what can be no ring and no doorbell is refused when it comes`() throws {
    let daemon = try DaemonProcess()
    let peer = try daemon.connect()
    let null = try Files.openNull()
    let file = try Files.memoryFile(name: "ring", [1, 2, 3])
    let refused = try peer.ask("ring", descriptor: null.raw)
    #expect(refused.code == .badValue)
    #expect(refused.explanation == .init(.ringUnsealed))
    #expect(try peer.ask("doorbell", descriptor: file.raw).explanation == .init(.doorbellNoSocket))
    let (_, descriptor) = try SharedMemory.create(name: "ring", count: 8192)
    let (bell, _) = try UnixSocket.pair()
    #expect(try peer.ask("ring", descriptor: descriptor.raw).isOK)
    #expect(try peer.ask("doorbell", descriptor: bell.raw).isOK)
  }

  @Test func `room for a command that nobody starts is given up after a while, with its cgroup`() throws {
    let daemon = try DaemonProcess(clockRate: 200)
    let (peer, other) = try (daemon.connect(), daemon.connect())
    try peer.stage(["true"])
    #expect(try peer.ask("run name=x").isOK)
    let root = try #require(daemon.cgroupRoot)
    #expect(try Cgroup.children(of: root) == ["x.program"])
    try eventually("the cgroup is still there") { try Cgroup.children(of: root).isEmpty }
    #expect(try peer.ask("started", descriptor: peer.raw).code == .missingField)
    #expect(try other.run(["true"], "name=x").isOK)
  }

  @Test func `a program that takes the daemon into its cgroup is not frozen`() throws {
    let daemon = try DaemonProcess()
    let peer = try daemon.connect()
    #expect(try peer.run(["sleep", "1000"]).isOK)
    let cgroup = try Cgroup.open(at: "\(#require(daemon.cgroupRoot))/sleep.program")
    try cgroup.move(daemon.pid)
    try peer.ask("suspend name=sleep")
    let sleep = try #require(try peer.ask("why name=sleep").items(.sleep).first)
    #expect(sleep[.refused] == "failed")
    #expect(sleep[.detail] == "holds-daemon")
    #expect(try !cgroup.state().frozen)
    try Cgroup.move(daemon.pid, to: CgroupMount.find())
  }

  @Test func `attaching again and again is told once`() throws {
    let daemon = try DaemonProcess()
    let peer = try daemon.connect()
    #expect(try peer.run(["sleep", "1000"]).isOK)
    for _ in 0..<3 { #expect(try peer.ask("attach name=sleep").isOK) }
    try peer.ask("signal name=sleep number=9")
    _ = try peer.notice(.exited)
    try eventually("the program did not end") { try peer.ask("status").items(.program).isEmpty }
    let open = try daemon.openDescriptors()
    #expect(try peer.run(["true"]).isOK)
    // A second notice would stand before this one.
    #expect(try peer.notice(.exited)[.name] == "true")
    try eventually("an ended program keeps descriptors") { try daemon.openDescriptors() <= open }
  }
}

extension Peer {
  /// Sends as many bytes as there is room for.
  func tell(_ text: String) throws { _ = try UnixSocket.send(Array(text.utf8), to: raw) }
}

import Glibc
import LullSystem
import TestSupport
import Testing

@testable import LullInspect

@Suite(.bounded) struct SoundTests {
  @Test(
    arguments: [
      ("/run/user/1000/pulse/native", .pulseAudio), ("/tmp/pulse-PKdhtXMmr18n/native", .pulseAudio),
      ("/var/run/pulse/native", .pulseAudio),
      ("/users/a b/.config/pulse/0123abc-runtime/native", .pulseAudio),
      ("/run/user/1000/pipewire-0", .pipeWire), ("/run/user/1000/pipewire-12-manager", .pipeWire),
      ("/dev/shm/jack_default_1000_0", .jack), ("/tmp/jack-1000/default/jack_0", .jack),
      ("/dev/shm/jack-1000/default/jack_0", .jack), ("/srv/jack_default_0_0", .jack),
      ("", nil), ("unnamed", nil), ("native", nil), ("/native", nil), ("/run/user/1000/native", nil),
      ("/run/user/1000/pulse/pid", nil), ("/run/user/1000/pipewire-", nil),
      ("/run/user/1000/pipewire-0.lock", nil),
      ("/run/user/1000/pipewire-x", nil), ("/run/user/1000/bus", nil), ("@/tmp/.X11-unix/X0", nil),
      ("/srv/x-runtime/native", nil), ("jack_0", nil),
    ] as [(String, AudioServer?)])
  func `a sound server is known by its socket`(path: String, server: AudioServer?) {
    #expect(AudioServer(peer: path) == server)
  }

  @Test(arguments: [("pulse/native", "pulse/native"), ("pipewire-0", "pulse/native"), ("jack_default", nil)])
  func `PipeWire answers to PulseAudio's protocol beside its own socket`(name: String, socket: String?)
    throws
  {
    let directory = try TemporaryDirectory()
    try #require(unsafe mkdir("\(directory.path)/pulse", 0o700) == 0)
    let listener = try UnixSocket.listen(path: "\(directory.path)/\(name)")
    let client = try UnixSocket.connect(path: "\(directory.path)/\(name)")
    let found = try #require(server(behind: client.raw))
    #expect(found.address == socket.map { "unix:\(directory.path)/\($0)" })
    _ = listener.raw
  }

  @Test(
    arguments: [("pulseaudio", .pulseAudio), ("jackd", .jack), ("postgres", nil)] as [(String, AudioServer?)])
  func `a sound server at another path is known by the process that listens`(
    name: String, kind: AudioServer?
  ) throws {
    let directory = try TemporaryDirectory()
    let socket = "\(directory.path)/sound"
    let listener = try program(name, as: "/usr/bin/nc", ["-l", "-U", socket], in: directory)
    var client: DescriptorBox?
    try eventually("\(name) does not listen") {
      client = try? DescriptorBox(UnixSocket.connect(path: socket))
      return client != nil
    }
    let found = server(behind: try #require(client).raw)
    #expect(found?.kind == kind)
    #expect(found?.address == (kind == .pulseAudio ? "unix:\(socket)" : nil))
    try listener.signal(LullSystem.Signal.kill)
  }

  @Test(
    arguments: [("pulseaudio", .pulseAudio), ("jackd", .jack), ("postgres", nil)] as [(String, AudioServer?)])
  func `a sound server on the loopback is known by the process that has the other end`(
    name: String, kind: AudioServer?
  ) throws {
    let directory = try TemporaryDirectory()
    for address in [SocketAddress.loopback(), .loopbackV6()] {
      let listener = try Socket.listen(address)
      let client = try Socket.connectNonBlocking(try Socket.localAddress(listener.raw))
      _ = try ready(listener.raw, .readable, "nobody connects")
      guard let connection = try Socket.accept(from: listener.raw) else {
        return #expect(Bool(false), "nobody is accepted")
      }
      let accepted = DescriptorBox(connection)
      let owner = try program(name, as: "/usr/bin/sleep", ["60"], in: directory, input: accepted.raw)
      accepted.close()
      try eventually("it is not \(name)") { (try? Process.commandName(of: owner.pid)) == name }
      let found = server(behind: client.raw)
      #expect(found?.kind == kind)
      let peer = try Socket.peerAddress(client.raw)
      #expect(found?.address == (kind == .pulseAudio ? "tcp:\(peer)" : nil))
      try owner.signal(LullSystem.Signal.kill)
      try owner.end()
    }
  }

  @Test(arguments: [
    ("RUNNING", "p", true), ("DRAINING", "p", true), ("RUNNING", "c", true), ("PREPARED", "p", false),
  ])
  func `a device that runs is told`(state: String, direction: String, runs: Bool) throws {
    let root = try asound(
      card: 1, "pcm2\(direction)", ["sub0": "closed\n", "sub1": "state: \(state)\nowner_pid   : 1\n"])
    let device = "/dev/snd/pcmC1D2\(direction)"
    #expect(running(["/dev/null", device], root) == (runs ? device : nil))
    #expect(running(["/dev/snd/pcmC0D2\(direction)", "/dev/snd/pcmC1D0\(direction)"], root) == nil)
  }

  @Test(arguments: [
    "/dev/snd/controlC1", "/dev/snd/pcmC1D2", "/dev/snd/pcmC1p", "/dev/snd/pcmC1D2x", "/dev/snd/pcmCxD2p",
    "/dev/snd/pcmC1D2D3p", "/dev/snd/pcmC../../1D2p",
  ])
  func `what is no sound device does not run`(path: String) throws {
    let root = try asound(card: 1, "pcm2p", ["sub0": "state: RUNNING\n"])
    #expect(running([path], root) == nil)
  }

  @Test func `a machine without sound has no running device`() {
    #expect(
      Process.runningAudioDevice([OpenFile(number: 3, kind: .path("/dev/snd/pcmC99D0p"), isReadable: true)])
        == nil)
  }

  @Test(arguments: ["poll-echo", "epoll-echo"])
  func `the turns of the threads that serve a socket are counted`(call: String) throws {
    let sleeper = try WaitingProgram(call, bytes: 0)
    try expectTurns(sleeper.pid, sockets: [0], rise: true) {
      #expect(try UnixSocket.send([1], to: sleeper.channel.raw) == .sent(1))
      _ = try receive(1, from: sleeper.channel.raw)
      try sleeper.program.awaitSleep()
    }
    #expect(try Process.audioTurns(of: sleeper.pid, sockets: [7]) == 0)
    #expect(try Process.audioTurns(of: sleeper.pid, sockets: []) == 0)
  }

  @Test func `the turns of a thread that reads the socket are counted`() throws {
    let group = try TestCgroup()
    let (here, there) = try UnixSocket.pair()
    let cat = try Child(["cat"], in: group, input: there.raw, output: there.raw)
    try cat.awaitSleep()
    try expectTurns(cat.pid, sockets: [0], rise: true) {
      #expect(try UnixSocket.send([1], to: here.raw) == .sent(1))
      _ = try receive(1, from: here.raw)
      try cat.awaitSleep()
    }
    #expect(try Process.audioTurns(of: cat.pid, sockets: [1]) == 0)
  }

  @Test func `the threads of a sound library are counted by their names`() throws {
    let sleeper = try WaitingProgram("named-echo", bytes: 0)
    #expect(try Process.audioTurns(of: sleeper.pid, sockets: []) > 0)
  }

  @Test func `a process that has ended has no turns`() throws {
    let program = try Child(SpawnRequest(["true"]))
    try program.end()
    #expect(try Process.audioTurns(of: program.pid, sockets: [0]) == 0)
  }

  private func expectTurns(_ pid: Int32, sockets: [Int32], rise: Bool, _ work: () throws -> Void) throws {
    let first = try Process.audioTurns(of: pid, sockets: sockets)
    #expect(try first > 0 && Process.audioTurns(of: pid, sockets: sockets) == first, "it ran by itself")
    try work()
    #expect(try Process.audioTurns(of: pid, sockets: sockets) > first)
  }

  private func server(behind raw: Int32) -> SoundServer? {
    SoundServer(behind: Socket.describe(raw), raw: raw, of: Identity.pid())
  }

  /// A program under another name.
  private func program(
    _ name: String, as path: String, _ arguments: [String], in directory: TemporaryDirectory,
    input: Int32? = nil
  ) throws -> Child {
    let link = "\(directory.path)/\(name)"
    if !Files.exists(link) { try #require(unsafe symlink(path, link) == 0) }
    var request = SpawnRequest([link] + arguments)
    request.standardInput = input
    return try Child(request)
  }

  private func running(_ paths: [String], _ root: TemporaryDirectory) -> String? {
    Process.runningAudioDevice(
      paths.map { OpenFile(number: 3, kind: .path($0), isReadable: true) }, root: root.path)
  }

  /// A folder like /proc/asound.
  private func asound(card: Int, _ device: String, _ streams: [String: String]) throws -> TemporaryDirectory {
    let root = try TemporaryDirectory()
    for folder in ["card\(card)", "card\(card)/\(device)"]
      + streams.keys.map({ "card\(card)/\(device)/\($0)" })
    {
      try #require(unsafe mkdir("\(root.path)/\(folder)", 0o700) == 0)
    }
    for (stream, text) in streams { _ = try root.file("card\(card)/\(device)/\(stream)/status", text) }
    return root
  }
}

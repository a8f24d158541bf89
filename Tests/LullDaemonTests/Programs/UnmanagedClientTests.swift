import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// A process that plays as an unmanaged client before it registers.
@Suite(.bounded) struct UnmanagedClientTests {
  private let daemon: DaemonProcess
  private let boss: Peer

  init() throws {
    daemon = try DaemonProcess()
    boss = try daemon.connect()
  }

  /// Opens an audio session as the ALSA plugin does, and sends the requests of the library on another
  /// connection.
  static let script = """
    import array, fcntl, os, socket, sys
    def connect():
      line = socket.socket(socket.AF_UNIX)
      line.connect(sys.argv[1])
      return line, line.makefile("r")
    def ask(link, text, *descriptors):
      socket.send_fds(link[0], [(text + "\\n").encode()], descriptors)
      while (answer := link[1].readline()).startswith("event"):
        pass
      return answer
    ring = os.memfd_create("ring", os.MFD_ALLOW_SEALING)
    os.ftruncate(ring, 4096 + 48000 * 4)
    fcntl.fcntl(ring, 1033, 1 | 2 | 4)
    ours, theirs = socket.socketpair()
    plugin = connect()
    ask(plugin, "ring", ring)
    ask(plugin, "doorbell", theirs.fileno())
    fields = "category=playback direction=play rate=48000 channels=2 format=s16 frames=48000"
    print(ask(plugin, "session " + fields), end="", flush=True)
    library = connect()
    for line in sys.stdin:
      print(ask(library, line.strip()), end="", flush=True)
    """

  private func unmanagedClient() throws -> (child: Child, words: DescriptorBox, answers: Lines) {
    let (here, there) = try UnixSocket.pair()
    var request = SpawnRequest(["python3", "-c", Self.script, daemon.socket])
    request.standardInput = there.raw
    request.standardOutput = there.raw
    let child = try Child(request)
    there.close()
    let answers = Lines(of: here.raw)
    try answers.read("ok session=1")
    return (child, here, answers)
  }

  private func registers(_ name: String, _ answers: Lines) throws {
    try answers.read("the registration") {
      let text = String(decoding: $0, as: UTF8.self)
      return text.hasPrefix("ok name=\(name) state=inactive handover=false suspender=cgroup wakesMachine=")
        && text.hasSuffix(" launchReason=user")
    }
  }

  private func say(_ text: String, _ words: DescriptorBox) throws {
    let bytes = Array("\(text)\n".utf8)
    #expect(try UnixSocket.send(bytes, to: words.raw) == .sent(bytes.count))
  }

  @Test func `an unmanaged client that registers becomes the program, and its session stays its session`()
    throws
  {
    let (child, words, answers) = try unmanagedClient()
    let before = try boss.ask("status").items(.program)
    #expect(before.map { $0[.name] } == ["python3"])
    #expect(before.map { $0[.managed] } == [nil])
    try say("register name=player modes=voip,audio", words)
    try registers("player", answers)
    try say("keepalive timeout=600", words)
    try answers.read("ok")
    let status = try boss.ask("status")
    let program = try #require(status.items(.program).first)
    #expect(status.items(.program).count == 1)
    #expect(program[.name] == "player")
    #expect(program[.managed] == "library")
    #expect(program[.cgroup]?.hasSuffix("/player.program") == true)
    #expect(status.items(.session).map { $0[.program] } == ["player"])
    #expect(try Process.cgroupPath(of: child.pid).hasSuffix("/player.program"))
    #expect(try daemon.ledger().program("player")?.process.pid == child.pid)
  }

  @Test func `under a name that is in use it stays an unmanaged client`() throws {
    let phone = try daemon.netcat()
    try phone.launch("player")
    let (child, words, answers) = try unmanagedClient()
    try say("register name=player modes=voip", words)
    try answers.read("the refusal") {
      String(decoding: $0, as: UTF8.self).hasPrefix("error code=name-in-use")
    }
    #expect(try boss.ask("status").items(.program).map { $0[.name] } == ["player", "python3"])
    try say("register name=python3 modes=voip", words)
    try registers("python3", answers)
    try child.signal(Signal.kill)
  }

  @Test func `its last session may end and its process leave without harm`() throws {
    let (child, words, answers) = try unmanagedClient()
    try say("register name=player modes=audio", words)
    try registers("player", answers)
    try say("end-session session=1", words)
    try answers.read("ok")
    #expect(try boss.ask("status").items(.program).map { $0[.name] } == ["player"])
    try child.signal(Signal.kill)
    try eventually("the program is there still") { try boss.ask("status").items(.program).isEmpty }
  }
}

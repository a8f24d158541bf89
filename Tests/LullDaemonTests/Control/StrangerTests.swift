import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Peers that the kernel does not name, or no longer.
@Suite(.bounded) struct StrangerTests {
  @Test func `a process of another pid namespace is refused, and nothing is frozen`() throws {
    let daemon = try DaemonProcess(isApart: true)
    let peer = try daemon.connect()
    let refused = try peer.response()
    #expect(refused.code == .refused)
    #expect(refused.explanation == .init(.otherNamespace))
    #expect(try peer.isEnded())
    #expect(try Cgroup.children(of: #require(daemon.cgroupRoot)).isEmpty)
    let second = try daemon.connect()
    #expect(try second.response().code == .refused)
  }

  @Test func `a process that registers on two connections is one program`() throws {
    let daemon = try DaemonProcess()
    let (here, there) = try UnixSocket.pair()
    let script = """
      import os, socket, sys
      both = [socket.socket(socket.AF_UNIX) for _ in range(2)]
      for control in both:
          control.connect(sys.argv[1])
          control.sendall(b"hello\\n")
          control.recv(4096)
      for number, control in enumerate(both):
          control.sendall(b"register name=p%d modes=voip resume=active\\n" % number)
          os.write(1, control.recv(4096))
      os.read(0, 1)
      """
    var request = SpawnRequest(["python3", "-c", script, daemon.socket])
    request.standardInput = there.raw
    request.standardOutput = there.raw
    let child = try Child(request)
    there.close()
    let lines = Lines(of: here.raw)
    for _ in 0..<2 { try lines.read("the program's name") { $0.starts(with: "ok name=p0 ".utf8) } }
    #expect(try daemon.connect().ask("status").items(.program).map { $0[.name] } == ["p0"])
    #expect(try UnixSocket.send([0], to: here.raw) == .sent(1))
    try child.end()
  }

  @Test func `a child that goes on with the connection of a process that ended is nobody`() throws {
    let daemon = try DaemonProcess()
    #expect(try daemon.connect().ask("hello").isOK)
    // The connection is not accepted before its process has ended.
    try daemon.signal(Signal.stop)
    let (here, there) = try UnixSocket.pair()
    let script = """
      import os, socket, sys
      control = socket.socket(socket.AF_UNIX)
      control.connect(sys.argv[1])
      if os.fork() == 0:
          os.read(0, 1)
          os.write(1, control.recv(4096))
      """
    var request = SpawnRequest(["python3", "-c", script, daemon.socket])
    request.standardInput = there.raw
    request.standardOutput = there.raw
    let child = try Child(request)
    there.close()
    #expect(try child.end() == .exited(0))
    try daemon.signal(Signal.continue)
    #expect(try daemon.connect().ask("hello").isOK)
    #expect(try UnixSocket.send([0], to: here.raw) == .sent(1))
    try Lines(of: here.raw).read("the refusal") { $0.starts(with: "error code=refused".utf8) }
  }
}

import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// A process that has given one connection up and speaks anew on another one.
@Suite(.bounded) struct SecondConnectionTests {
  /// Opens and closes its connection, and sends every other line of its input there; `hold` takes a socket
  /// along. What the daemon says comes out.
  private static let script = """
    import os, select, socket, sys
    control = None
    held = socket.socketpair()
    while True:
      ready = select.select([0] + ([control] if control else []), [], [])[0]
      if control in ready:
        os.write(1, control.recv(4096) or b"lost\\n")
      if 0 not in ready:
        continue
      order = b""
      while not order.endswith(b"\\n"):
        byte = os.read(0, 1)
        if not byte: sys.exit(0)
        order += byte
      if order == b"open\\n":
        control = socket.socket(socket.AF_UNIX)
        control.connect(sys.argv[1])
      elif order == b"close\\n":
        control.close()
        control = None
      elif order.startswith(b"hold"):
        number = held[0].fileno()
        socket.send_fds(control, [order.replace(b"FD", str(number).encode())], [number])
      else:
        control.sendall(order)
      os.write(1, b"obeyed\\n")
    """

  private let daemon: DaemonProcess
  private let here: DescriptorBox
  private let child: Child
  private let lines: Lines

  init() throws {
    daemon = try DaemonProcess()
    let (here, there) = try UnixSocket.pair()
    self.here = here
    var request = SpawnRequest(["python3", "-c", Self.script, daemon.socket])
    request.standardInput = there.raw
    request.standardOutput = there.raw
    child = try Child(request)
    there.close()
    lines = Lines(of: here.raw)
    #expect(try daemon.connect().ask("hello").isOK)
  }

  private func order(_ words: String...) throws {
    let text = words.map { $0 + "\n" }.joined()
    #expect(try UnixSocket.send(Array(text.utf8), to: here.raw) == .sent(text.utf8.count))
  }

  /// Has the process do something while the daemon stands still.
  private func orderUnheard(_ words: String...) throws {
    try daemon.signal(Signal.stop)
    for word in words {
      try order(word)
      try lines.read("the end of \(word)") { $0.elementsEqual("obeyed".utf8) }
    }
    try daemon.signal(Signal.continue)
  }

  private func answer(_ start: String) throws {
    try lines.read("an answer") { $0.starts(with: start.utf8) }
  }

  private static let register = "register name=p modes=voip resume=background"
  private static let hold = "hold fd=FD type=voip"

  private func expectOnly(line: Bool, keepAlive: String?) throws {
    let peer = try daemon.connect()
    let status = try peer.ask("status name=p")
    #expect(status.items(.program).map { $0[.name] } == ["p"])
    #expect(status.items(.keepalive).map { $0[.timeoutSeconds] } == [keepAlive].compactMap(\.self))
    #expect(try peer.ask("lines name=p").items(.line).count == (line ? 1 : 0))
    #expect(!status.items(.lease).contains { $0[.kind] == "task" }, "\(status)")
  }

  /// Waits until the end of a lost connection would have had its consequence.
  private func waitForConsequences() throws {
    let other = try daemon.netcat()
    try other.launch("other")
    #expect(try other.ask("schedule body=second in=1").isOK)
    #expect(try other.laterNotice(.received)[.body] == "second")
  }

  @Test func `what waits on a connection that was given up is not carried out`() throws {
    try orderUnheard(
      "open", Self.register, "close", "open", Self.register, "keepalive timeout=600", Self.hold)
    for _ in 0..<3 { try answer("ok") }
    try waitForConsequences()
    try expectOnly(line: true, keepAlive: "600")
  }

  @Test func `what was said on a connection that has ended is undone before it is said anew`() throws {
    try order("open", Self.register, "begin-task name=upload", Self.hold, "keepalive timeout=900")
    for _ in 0..<4 { try answer("ok") }
    try orderUnheard("close", "open", Self.register, "keepalive timeout=600")
    for _ in 0..<2 { try answer("ok") }
    try expectOnly(line: false, keepAlive: "600")
    try waitForConsequences()
    try expectOnly(line: false, keepAlive: "600")
  }
}

import LullSystem
import LullWire
import TestSupport
import Testing

/// The end of a command that somebody quits.
@Suite(.bounded) struct QuitTests {
  private let daemon: DaemonProcess
  private let peer: Peer
  private let input: DescriptorBox
  private let output: DescriptorBox
  private let lines: Lines

  init() throws {
    daemon = try DaemonProcess()
    peer = try daemon.connect()
    (input, output) = try UnixSocket.pair()
    lines = Lines(of: input.raw)
  }

  /// A shell that has set its traps; its words go to `lines`.
  private func run(_ script: String) throws {
    // A child that is just being forked might lose its signal.
    let loop = "echo up; while :; do read -r line <&1; done"
    try peer.run(["sh", "-c", "\(script); \(loop)"], output: output.raw)
    try lines.read("up")
  }

  @Test func `now kills it, also when it was asked before`() throws {
    try run("trap 'echo term' TERM")
    let other = try daemon.connect()
    try other.ask("quit name=sh")
    try lines.read("term")
    #expect(try peer.ask("quit name=sh now").last[.remainingSeconds] == nil)
    #expect(try peer.notice(.exited)[.signal] == "9")
    for client in [peer, other] {
      let ended = try client.notice(.ended)
      #expect(ended[.signal] == "9" && ended[.reason] == "quit" && ended[.at] != nil)
      #expect(ended[.killed] == "true")
    }
  }

  @Test func `every process is asked, in a session of its own and stopped too`() throws {
    let inner = "trap 'echo inner; exit' TERM; echo in; kill -STOP \\$\\$; echo goes on"
    try run("trap 'exit 3' TERM; setsid sh -c \"\(inner)\" & true")
    try lines.read("in")
    #expect(try peer.ask("quit name=sh").isOK)
    try lines.read("inner")
    #expect(try peer.notice(.exited)[.status] == "3")
    #expect(try peer.notice(.ended)[.status] == "3")
  }
}

import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct PseudoTerminalTests {
  private let ends: PseudoTerminal.Ends

  init() throws { ends = try PseudoTerminal.open(TerminalSize(columns: 90, rows: 30)) }

  private func type(_ text: String) throws {
    try StandardStreams.write(Array(text.utf8), to: ends.master.raw)
  }

  private func read(_ raw: Int32) throws -> String {
    try Deadline().wait(raw, .readable, for: "something to read")
    var buffer = ReceiveBuffer(capacity: 4096)
    _ = try StandardStreams.read(raw, into: &buffer)
    return String(decoding: buffer.received, as: UTF8.self)
  }

  @Test func `a terminal has the size that it is given`() throws {
    #expect(Terminal.size(ends.terminal.raw) == TerminalSize(columns: 90, rows: 30))
    try Terminal.setSize(ends.master.raw, TerminalSize(columns: 132, rows: 0))
    #expect(Terminal.size(ends.terminal.raw) == TerminalSize(columns: 132, rows: 1))
    #expect(Terminal.isTerminal(ends.terminal.raw))
  }

  @Test func `keys arrive by lines, or at once and as they are`() throws {
    let modes = try TerminalModes(of: ends.terminal.raw)
    try type("line\n")
    #expect(try read(ends.terminal.raw) == "line\n")
    try modes.uncooked.set(ends.terminal.raw)
    try type("\u{3}k")
    #expect(try read(ends.terminal.raw) == "\u{3}k")
    try modes.set(ends.terminal.raw)
    try type("x")
    #expect(try Socket.poll(ends.terminal.raw, .readable, timeoutMilliseconds: 0).isEmpty)
  }

  @Test func `without a program the master tells an error`() throws {
    try StandardStreams.write(Array("bye".utf8), to: ends.terminal.raw)
    ends.terminal.close()
    #expect(try read(ends.master.raw) == "bye")
    let error = #expect(throws: SystemError.self) { try read(ends.master.raw) }
    #expect(error?.isInputOutput == true)
  }

  @Test func `what is no terminal has no modes and no size`() throws {
    let pipe = try Pipe.open()
    #expect(throws: SystemError.self) { try TerminalModes(of: pipe.reading.raw) }
    #expect(Terminal.size(pipe.reading.raw) == nil)
  }
}

@Suite(.bounded) struct PipeTests {
  @Test func `a pipe that must not block takes what there is room for`() throws {
    let pipe = try Pipe.open()
    try Descriptor.stopBlocking(pipe.writing.raw)
    var sent = 0
    let bytes = [UInt8](repeating: 1, count: 50_000)[...]
    while case .sent(let count) = try StandardStreams.writePart(bytes, to: pipe.writing.raw) { sent += count }
    #expect(sent > 50_000)
  }
}

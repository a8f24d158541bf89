import CPuppet
import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// The other things than sockets that wake a command: a pipe, a terminal, the end of a child.
@Suite(.bounded) struct PipeTests {
  private let stage: Stage

  init() throws { stage = try Stage() }

  @Test func `a fifo wakes cat, which blocks in read`() throws {
    let fifo = try Fifo(stage)
    let run = try stage.run("cat", ["cat", fifo.path])
    for round in 1...3 {
      try stage.journal.waitForSleep(of: "cat")
      try fifo.send("\(round)\n")
      #expect(try run.output.line() == "\(round)")
      try stage.journal.wait("woke", of: "cat", cause: "data")
    }
  }

  @Test func `the writer's end wakes it as well`() throws {
    let fifo = try Fifo(stage)
    let run = try stage.run("sh", ["sh", "-c", "echo ready; cat \(fifo.path); echo end"])
    #expect(try run.output.line() == "ready")
    try stage.journal.waitForSleep(of: "sh")
    fifo.close()
    #expect(try run.output.line() == "end")
    #expect(try run.end() == .exited(0))
  }

  @Test func `a terminal wakes it`() throws {
    let (master, slave) = try Self.terminal()
    // The terminal is opened by its path: a program with nothing but its standard streams stays awake.
    let run = try stage.run("cat", ["cat", "/proc/\(getpid())/fd/\(slave.raw)"])
    for round in 1...3 {
      try stage.journal.waitForSleep(of: "cat")
      try StandardStreams.write(Array("\(round)\n".utf8), to: master.raw)
      #expect(try run.output.line() == "\(round)")
      try stage.journal.wait("woke", of: "cat", cause: "data")
    }
  }

  @Test(arguments: ["/dev/null", "/dev/zero", "/etc/passwd"])
  func `a line wakes a program that polls a file beside it that nobody can watch`(path: String) throws {
    let fifo = try Fifo(stage)
    let run = try stage.run("poller", try Python.command(Self.poller, path, fifo.path))
    for round in 1...2 {
      try stage.journal.waitForSleep(of: "poller")
      try fifo.send("\(round)\n")
      #expect(try run.output.line() == "\(round)")
      try stage.journal.wait("woke", of: "poller", cause: "data")
    }
  }

  /// As parec does: poll(2) is asked for errors of the file alone, and select(2) for what is exceptional.
  private static let poller = """
    import os, select, sys
    beside = os.open(sys.argv[1], os.O_RDONLY)
    line = os.open(sys.argv[2], os.O_RDWR)
    poll = select.poll()
    poll.register(beside, 0)
    poll.register(line, select.POLLIN)
    poll.poll()
    os.write(1, os.read(line, 100))
    select.select([line], [], [beside])
    os.write(1, os.read(line, 100))
    poll.poll()
    """

  private static func terminal() throws -> (master: DescriptorBox, slave: DescriptorBox) {
    var slave: Int32 = -1
    let master = unsafe cpuppet_open_terminal(&slave)
    try Kernel.check(master)
    return (DescriptorBox(Descriptor(owning: master)), DescriptorBox(Descriptor(owning: slave)))
  }

  @Test func `a double fork sleeps and wakes with the program`() throws {
    let fifo = try Fifo(stage)
    let script = "(setsid sh -c 'exec cat \(fifo.path)' &); exec sleep 1000"
    let run = try stage.run("sh", ["sh", "-c", script])
    try stage.journal.waitForSleep(of: "sh")
    #expect(try stage.pids(of: "sh").count == 2)
    try fifo.send("hello\n")
    #expect(try run.output.line() == "hello")
    try stage.journal.waitForSleep(of: "sh")
  }

  @Test func `a child that is killed while all are frozen wakes its parent`() throws {
    let fifo = try Fifo(stage)
    let script = "exec 3<\(fifo.path); sleep 1000 & echo $!; wait $!; echo gone $?; sleep 1000"
    let run = try stage.run("sh", ["sh", "-c", script])
    let child = Int32(try run.output.line()) ?? 0
    try stage.journal.waitForSleep(of: "sh")
    try Process.kill(child, Signal.kill)
    try stage.journal.wait("woke", of: "sh", cause: "child")
    #expect(try run.output.line() == "gone 137")
    try stage.journal.waitForSleep(of: "sh")
  }

  @Test func `bytes that nobody waits for neither keep it awake nor wake it`() throws {
    let (fifo, leaked) = try (Fifo(stage), Fifo(stage, "leaked"))
    try leaked.send("for nobody\n")
    let run = try stage.run("cat", ["sh", "-c", "exec 3<\(leaked.path); exec cat \(fifo.path)"])
    try stage.journal.waitForSleep(of: "cat")
    try leaked.send("more\n")
    try fifo.send("hello\n")
    let woke = try stage.journal.wait("woke", of: "cat", cause: "data")
    #expect(woke[.detail]?.contains(fifo.path) == true, "\(woke)")
    #expect(try run.output.line() == "hello")
    try stage.journal.waitForSleep(of: "cat")
  }

  @Test func `a fifo that is open for writing and for reading wakes its reader`() throws {
    let fifo = try Fifo(stage)
    let script = "exec 4>\(fifo.path) 5<\(fifo.path); while read -r line <&5; do echo got $line; done"
    let run = try stage.run("sh", ["sh", "-c", script])
    try stage.journal.waitForSleep(of: "sh")
    try fifo.send("hello\n")
    #expect(try run.output.line() == "got hello")
  }
}

/// A named pipe whose other end the test holds open.
final class Fifo {
  let path: String
  private let box: DescriptorBox

  init(_ stage: Stage, _ name: String = "fifo") throws {
    path = "\(stage.lull.sandbox.directory)/\(name)"
    try Kernel.check(unsafe mkfifo(path, 0o600))
    // The pipe is opened for both directions, or the open would wait for the reader.
    let raw = unsafe open(path, O_RDWR | O_CLOEXEC)
    try Kernel.check(raw)
    box = DescriptorBox(Descriptor(owning: raw))
  }

  func close() { box.close() }

  func send(_ text: String) throws { try StandardStreams.write(Array(text.utf8), to: box.raw) }
}

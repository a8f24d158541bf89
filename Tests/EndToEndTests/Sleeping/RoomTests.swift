import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// A program that waits for room is woken when a slow reader outside has made room.
@Suite(.bounded) struct RoomTests {
  private static let size = 4 << 20

  @Test(arguments: ["unix", "fifo"], ["poll", "block"])
  func `four MiB reach a slow reader`(kind: String, how: String) throws {
    let stage = try Stage(clockRate: 4)
    let path = "\(stage.lull.sandbox.directory)/\(kind)"
    let place = try Place(kind, path)
    let run = try stage.run("writer", Python.command(Self.writer, kind, how, path, "\(Self.size)"))
    let reader = try place.reader()
    #expect(try run.output.line() == "ready")
    // A program that blocks in write may be observed at work.
    let words = how == "poll" ? ["frozen"] : ["frozen", "freeze-refused"]
    _ = try stage.journal.next(of: "writer", among: words)
    // Until then the program cannot have ended: the rest does not fit.
    let most = how == "poll" ? Self.size / 2 : 0
    var (arrived, rounds) = (0, 0)
    while arrived < Self.size {
      if rounds % 8 == 0, arrived < most { try stage.journal.waitUntilAsleep("writer", stage.lull) }
      let count = try reader.take()
      try #require(count > 0, "only \(arrived) bytes arrived")
      arrived += count
      rounds += 1
    }
    #expect(arrived == Self.size)
    #expect(try run.output.line() == "done")
  }

  private static let writer = """
    import os, select, socket, sys
    kind, how, path, size = sys.argv[1:]
    if kind == "unix":
      one = socket.socket(socket.AF_UNIX)
      one.connect(path)
      out = one.fileno()
    else:
      out = os.open(path, os.O_WRONLY)
    os.set_blocking(out, how == "block")
    poll = select.poll()
    poll.register(out, select.POLLOUT)
    print("ready", flush=True)
    left = memoryview(b"x" * int(size))
    while left:
      if how == "poll":
        poll.poll()
      left = left[os.write(out, left):]
    print("done", flush=True)
    """

  @Test func `a transfer to a peer that has closed its half and is slow comes to its end`() throws {
    let stage = try Stage()
    let port = try stage.network.freePort()
    try stage.runToSleep("giver", Python.command(Self.giver, "\(port)"))
    let peer = try stage.network.connect(to: port)
    try peer.send("please\n")
    try Kernel.finishSending(peer.box)
    // The peer takes nothing: the program waits for room, and sleeps meanwhile.
    try stage.journal.waitForSleep(of: "giver")
    #expect(try peer.untilEnd().utf8.count == 8_000_000)
    try stage.journal.wait("woke", of: "giver", cause: "writable")
  }

  private static let giver = """
    import selectors, socket, sys
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print("ready", flush=True)
    connection, _ = listener.accept()
    while connection.recv(100):
      pass
    connection.setblocking(False)
    left = b"x" * 8000000
    selector = selectors.EpollSelector()
    selector.register(connection, selectors.EVENT_WRITE)
    while left:
      selector.select()
      left = left[connection.send(left):]
    connection.close()
    """
}

/// The place where the test reads the program's bytes.
private enum Place {
  case listener(DescriptorBox)
  case fifo(DescriptorBox)

  init(_ kind: String, _ path: String) throws {
    guard kind == "fifo" else {
      self = .listener(DescriptorBox(try UnixSocket.listen(path: path)))
      return
    }
    try Kernel.check(unsafe mkfifo(path, 0o600))
    let raw = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try Kernel.check(raw)
    self = .fifo(DescriptorBox(Descriptor(owning: raw)))
  }

  /// Waits for the writer.
  func reader() throws -> SlowReader {
    switch self {
    case .fifo(let box): return SlowReader(box: box)
    case .listener(let box):
      try Deadline().wait(box.raw, .readable, for: "the writer")
      switch try Socket.accept(from: box.raw) {
      case .some(let descriptor): return SlowReader(box: DescriptorBox(descriptor))
      case .none: throw NothingCame(description: "the writer gave up")
      }
    }
  }
}

private struct SlowReader {
  let box: DescriptorBox

  /// Waits for bytes and takes at most 64 KiB; returns their number.
  func take() throws -> Int {
    try Deadline().wait(box.raw, .readable, for: "more bytes of the writer")
    var room = [UInt8](repeating: 0, count: 65_536)
    return unsafe read(box.raw, &room, room.count)
  }
}

import CPuppet
import Glibc
import LullChannel
import LullInspect
import LullSystem
import LullWire

/// A program by hand: lines of its standard input go to the daemon as they are, the daemon's lines come out
/// on standard output. A line that begins with `!` is for the puppet itself:
///
///     !daemon                      connect to the control socket: `connected`
///     !auto                        answer `deliver`, `wake`, `keepalive` and `prepare` by itself from now on
///     !manual                      answer none by itself any more
///     !undumpable                  take the ptrace rights over this process away from others of its uid
///     !connect port=N              open a TCP connection: `opened fd=N`
///     !listen port=N               open a listening TCP socket: `opened fd=N`
///     !datagram                    open a bound UDP socket: `opened fd=N port=N`
///     !file path=P                 open a regular file: `opened fd=N`
///     !ring bytes=N                open sealed memory, as a session of sound has it: `opened fd=N`
///     !pair                        open a socket pair: `opened fd=N other=N inode=N`
///     !store fd=N at=N value=N     write a word of 32 bits into sealed memory
///     !noise fd=N bytes=N          fill the frames of a ring of one byte each
///     !with fd=N text=LINE         send the daemon a line with a descriptor
///     !quiet text=LINE             send the daemon a line and swallow the reply
///     !write fd=N text=T           write to a descriptor
///     !close fd=N                  close a descriptor
///     !leave fd=N                  read a descriptor no more
///
/// Bytes and ends on its own descriptors are told as `bytes fd=N text=T`, `end fd=N`, `broken fd=N`; the loss
/// of the daemon as `lost`.
final class Puppet {
  private enum Reply {
    case shown
    case swallowed
  }

  private var input = LineSplitter()
  private var daemon: DescriptorBox?
  private var reader = LineReader()
  private var replies: [Reply] = []
  private var isAutomatic = false
  /// True when the puppet has said `ready` and was not told to wake since.
  private var isReady = false
  private var streams: [Int32] = []
  /// Lines that the daemon holds, for a handover.
  private var held: [(descriptor: Int32, line: String?)] = []
  private var buffer = ReceiveBuffer(capacity: 2000)

  /// Serves until the end of standard input.
  func run() -> Int32 {
    while true {
      var entries = [PollEntry(StandardStreams.input, .readable)]
      if let daemon { entries.append(PollEntry(daemon.raw, .readable)) }
      // Bytes read between `ready` and the freeze would be in nobody's queue; the daemon tells of them by a
      // wake.
      if !isReady { entries += streams.map { PollEntry($0, .readable) } }
      do {
        try Socket.pollMany(&entries, timeoutMilliseconds: -1)
        // The program's own connections come first: the bytes that woke it are read before the wake is
        // answered.
        for entry in entries where !entry.readiness.isEmpty && streams.contains(entry.raw) {
          try hear(entry.raw)
        }
        if let daemon, entries.contains(where: { $0.raw == daemon.raw && !$0.readiness.isEmpty }) {
          try hearDaemon(daemon)
        }
        if !entries[0].readiness.isEmpty, try !hearMaster() { return 0 }
      } catch {
        show(Message("failed").adding(Field("text", "\(error)")))
        return 1
      }
    }
  }

  func show(_ message: Message) {
    var bytes: [UInt8] = []
    message.encodeTruncating(into: &bytes)
    try? StandardStreams.write(bytes, to: StandardStreams.output)
  }

  func show(_ verb: String, _ descriptor: Int32) {
    show(Message(verb).adding(Field("fd", "\(descriptor)")))
  }
}

// The test's orders.
extension Puppet {
  private func hearMaster() throws -> Bool {
    guard case .bytes = try StandardStreams.read(StandardStreams.input, into: &buffer) else { return false }
    for line in input.append(buffer.received) {
      if line.first == UInt8(ascii: "!") {
        try obey(Message.parse(Array(line.dropFirst()).span))
      } else {
        try tellDaemon(line + [UInt8(ascii: "\n")], .shown)
      }
    }
    return true
  }

  private func obey(_ order: Message) throws {
    let descriptor = try order.integer(ifPresent: .fd).map(Int32.init) ?? -1
    let port = order["port"].flatMap(UInt16.init) ?? 0
    switch order.verb {
    case "daemon": try connectToDaemon()
    case "auto": isAutomatic = true
    case "manual": isAutomatic = false
    case "undumpable": _ = cpuppet_set_undumpable()
    case "connect": try connect(to: port)
    case "listen": open(try Socket.listen(.loopback(port: port)))
    case "datagram": open(try Socket.bindDatagram(.loopback()))
    case "file": open(Descriptor(owning: unsafe Glibc.open(order["path"] ?? "", O_RDONLY | O_CLOEXEC)))
    case "ring": ring(bytes: Int(order["bytes"] ?? "") ?? 0)
    case "pair": pair()
    case "store":
      store(Int(order["at"] ?? "") ?? 0, UInt32(order["value"] ?? "") ?? 0, in: descriptor)
    case "noise": noise(Int(order["bytes"] ?? "") ?? 0, in: descriptor)
    case "with": try hand(descriptor, line: order["text"] ?? "")
    case "quiet": try say(order["text"] ?? "")
    case "write": try StandardStreams.write(Array((order["text"] ?? "").utf8), to: descriptor)
    case "close": close(descriptor)
    case "leave": leave(descriptor)
    default: show(Message("failed").adding(Field("text", "no order \(order.verb)")))
    }
  }

  private func connect(to port: UInt16) throws {
    let socket = try Socket.connectNonBlocking(.loopback(port: port))
    _ = try Socket.poll(socket.raw, .writable, timeoutMilliseconds: 5000)
    if let error = try Socket.connectError(socket.raw) { throw error }
    open(socket)
  }

  private func open(_ descriptor: consuming Descriptor) {
    let raw = descriptor.take()
    streams.append(raw)
    let port = (try? Socket.localAddress(raw)).flatMap(\.port)
    let message = Message("opened").adding(Field("fd", "\(raw)"))
    show(port.map { message.adding(Field("port", "\($0)")) } ?? message)
  }

  private func leave(_ descriptor: Int32) {
    streams.removeAll { $0 == descriptor }
    show("left", descriptor)
  }

  private func close(_ descriptor: Int32) {
    streams.removeAll { $0 == descriptor }
    _ = Descriptor(owning: descriptor)
    show("closed", descriptor)
  }

  private func hear(_ raw: Int32) throws {
    // A listening socket and a regular file have nothing to read.
    guard Socket.describe(raw).kind != .tcpListen, Socket.describe(raw).kind != .other else {
      return streams.removeAll { $0 == raw }
    }
    do {
      switch try Socket.read(raw, into: &buffer) {
      case .bytes:
        let text = String(decoding: buffer.received, as: UTF8.self)
        show(Message("bytes").adding(Field("fd", "\(raw)")).adding(Field("text", text)))
      case .wouldBlock: break
      case .endOfStream:
        streams.removeAll { $0 == raw }
        show("end", raw)
      }
    } catch {
      streams.removeAll { $0 == raw }
      show("broken", raw)
    }
  }
}

// The daemon.
extension Puppet {
  private func connectToDaemon() throws {
    daemon = DescriptorBox(try UnixSocket.connect(path: RuntimeDirectory.controlSocket()))
    reader = LineReader()
    replies = []
    show(Message("connected"))
  }

  private func tellDaemon(_ line: [UInt8], _ reply: Reply, descriptor: Int32? = nil) throws {
    guard let daemon else { return }
    replies.append(reply)
    var rest = line[...]
    var descriptor = descriptor
    while !rest.isEmpty {
      switch try UnixSocket.send(rest.span, descriptor: descriptor, to: daemon.raw) {
      case .sent(let count):
        rest = rest.dropFirst(count)
        descriptor = nil
      case .wouldBlock: _ = try Socket.poll(daemon.raw, .writable, timeoutMilliseconds: 5000)
      case .closed: return
      }
    }
  }

  private func say(_ text: String) throws { try tellDaemon(Array("\(text)\n".utf8), .swallowed) }

  private func hand(_ descriptor: Int32, line: String, _ reply: Reply = .shown) throws {
    try tellDaemon(Array("\(line)\n".utf8), reply, descriptor: descriptor)
    if line.hasPrefix("hold ") { held.append((descriptor, nil)) }
  }

  private func hearDaemon(_ daemon: DescriptorBox) throws {
    switch try UnixSocket.receive(into: &buffer, from: daemon.raw) {
    case .bytes: reader.append(buffer.received)
    case .wouldBlock: return
    case .endOfStream, .descriptorLost:
      self.daemon = nil
      isReady = false
      held = []
      return show(Message("lost"))
    }
    while let line = reader.next() {
      guard case .message(let message) = line.content else { continue }
      try received(message)
    }
  }

  private func received(_ message: Message) throws {
    switch message.answer {
    case .event:
      show(message)
      if message.notice != .prepare { isReady = false }
      if isAutomatic { try answer(message) }
    case .item, nil: show(message)
    case .ok, .error:
      if let line = message["line"], let index = held.firstIndex(where: { $0.line == nil }) {
        held[index].line = line
      }
      guard replies.isEmpty || replies.removeFirst() == .shown else { return }
      show(message)
    }
  }

  private func answer(_ notice: Message) throws {
    let ticket = notice["ticket"] ?? ""
    switch notice.notice {
    case .deliver:
      try say("did ticket=\(ticket)")
      if notice["message"] == "didEnterBackground" { try say("done ticket=\(ticket)") }
    case .wake, .keepalive:
      for stream in streams where try !Socket.poll(stream, .readable, timeoutMilliseconds: 0).isEmpty {
        try hear(stream)
      }
      try say("done ticket=\(ticket)")
    case .prepare:
      for case (let descriptor, let line?) in held {
        try hand(descriptor, line: "handover line=\(line) ticket=\(ticket)", .swallowed)
      }
      try say("ready ticket=\(ticket)")
      isReady = true
    default: break
    }
  }
}

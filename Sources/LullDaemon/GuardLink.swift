import LullEngine
import LullSystem
import LullWire

/// The daemon's end of the socket to lull-guard, which keeps what must outlive the daemon: for each
/// program a line and its pidfd.
final class GuardLink {
  let descriptor: DescriptorBox
  var reader = LineReader()
  var descriptors: [DescriptorBox] = []

  init(_ descriptor: DescriptorBox) { self.descriptor = descriptor }

  /// Tells the guard something; it reads at once, so that waiting for room ends soon or never.
  func tell(_ message: Message, descriptor passed: Int32? = nil) {
    var bytes: [UInt8] = []
    message.encodeTruncating(into: &bytes)
    var passed = passed
    while !bytes.isEmpty {
      switch (try? UnixSocket.send(bytes, descriptor: passed, to: descriptor.raw)) ?? .closed {
      case .sent(let count):
        bytes.removeFirst(count)
        passed = nil
      case .wouldBlock:
        guard let ready = try? Socket.poll(descriptor.raw, .writable, timeoutMilliseconds: 1000),
          !ready.isEmpty
        else { return }
      case .closed: return
      }
    }
  }

  func store(_ program: Program, _ registration: Registration) {
    let kind: Vocabulary.Management = program.isCommand ? .command : .library
    var message = Message("store").adding(.name, program.name).adding(.pid, program.pid)
      .adding(.managed, kind.rawValue).adding(.modes, list: registration.modes.words)
      .adding(.suspender, program.suspender.word.rawValue)
    if case .cgroup(let cgroup) = program.suspender { message = message.adding(.cgroup, cgroup.path) }
    message = message.adding(.batchWakes, nanoseconds: registration.batchWakes?.nanoseconds)
    if let command = program.command {
      message = message.adding(registration, command)
        .adding(.since, program.startedAt).adding(.lastRun, program.keepAliveRanAt)
    }
    tell(message, descriptor: program.pidfd.raw)
  }

  /// The messages that have come, each with the descriptor that travelled with it; nil at the end.
  func receive(_ buffer: inout ReceiveBuffer) -> [(Message, DescriptorBox?)]? {
    switch (try? UnixSocket.receive(into: &buffer, from: descriptor.raw)) ?? .endOfStream {
    case .bytes(_, let passed):
      if let passed { descriptors.append(passed) }
      reader.append(buffer.received, descriptors: passed == nil ? 0 : 1)
    case .wouldBlock: return []
    case .descriptorLost, .endOfStream: return nil
    }
    var messages: [(Message, DescriptorBox?)] = []
    while let line = reader.next() {
      let own = line.descriptors > 0 && !descriptors.isEmpty ? descriptors.removeFirst() : nil
      if case .message(let message) = line.content { messages.append((message, own)) }
    }
    return messages
  }
}

extension Message {
  /// What `run` asked for, so that it still holds after a restart of the daemon.
  fileprivate func adding(_ registration: Registration, _ command: CommandRules) -> Message {
    (registration.isSpared ? adding(Shelf.spared) : self).adding(.text, command.words)
      .adding(.keepAlive, nanoseconds: registration.keepAlive?.nanoseconds)
      .adding(.linger, nanoseconds: registration.linger?.nanoseconds)
      .adding(.udpKeepalive, nanoseconds: registration.udpKeepAlive?.nanoseconds)
      .adding(.udpKeepaliveTo, command.udpKeepAliveTo?.description).adding(.timers, command.timers)
      .adding(.tcpKeepalive, nanoseconds: command.tcpKeepAlive.map { Int64($0) * 1_000_000_000 })
      .adding(.wakeOn, list: command.wakeOn.isEmpty ? nil : command.wakeOn.map { "\($0)" })
      .adding(.ignore, list: command.ignore.isEmpty ? nil : command.ignore.map { "\($0)" })
  }
}

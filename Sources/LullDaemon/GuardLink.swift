import LullEngine
import LullSystem
import LullWire

/// One end of the socket between the daemon and lull-guard, which keeps what must outlive the daemon: for each
/// program a line and its pidfd. Neither side ever waits for the other.
final class GuardLink {
  private struct Line {
    var bytes: [UInt8]
    var descriptor: DescriptorBox?
  }

  /// More bytes than this do not wait for a guard that does not read: it is told everything anew when it does.
  static let maximumOutput = 1 << 20

  let descriptor: DescriptorBox
  private let maximumOutput: Int
  private var reader = LineReader(maximumLine: Limits.maximumGuardLine)
  private var descriptors: [DescriptorBox] = []
  private var output: [Line] = []
  private var queuedBytes = 0
  /// Something that it was to be told was thrown away.
  private(set) var hasLost = false
  /// Whether its readiness is watched for room as well.
  private(set) var waitsForRoom = false

  /// The guard tells each daemon everything once, so its end has no bound.
  init(_ descriptor: DescriptorBox, maximumOutput: Int = GuardLink.maximumOutput) {
    (self.descriptor, self.maximumOutput) = (descriptor, maximumOutput)
  }

  /// Whether something waits for room in the socket.
  var hasOutput: Bool { !output.isEmpty }

  /// Writes at once what there is room for; the rest waits for `flush`.
  func tell(_ message: Message, descriptor: DescriptorBox? = nil) {
    guard !hasLost else { return }
    var bytes: [UInt8] = []
    message.encodeTruncating(into: &bytes, maximumLine: Limits.maximumGuardLine)
    guard let sent = output.isEmpty ? send(bytes, descriptor) : 0, sent < bytes.count else { return }
    queuedBytes += bytes.count - sent
    guard queuedBytes <= maximumOutput else {
      // A line of which a part was sent must be ended.
      (hasLost, output) = (true, Array(output.prefix(1)))
      return
    }
    output.append(Line(bytes: Array(bytes[sent...]), descriptor: sent == 0 ? descriptor : nil))
  }

  /// Writes what there is room for. True when all that was thrown away is to be told anew.
  func flush() -> Bool {
    while let first = output.first {
      guard let sent = send(first.bytes, first.descriptor) else {
        output = []
        break
      }
      guard sent > 0 else { return false }
      output[0].bytes.removeFirst(sent)
      output[0].descriptor = nil
      if output[0].bytes.isEmpty { output.removeFirst() }
    }
    queuedBytes = 0
    defer { hasLost = false }
    return hasLost
  }

  /// How many bytes were taken; nil when nobody is there any more, which the next read tells.
  private func send(_ bytes: [UInt8], _ passed: DescriptorBox?) -> Int? {
    // A descriptor cannot be sent while too many are on their way.
    switch (try? UnixSocket.send(bytes, descriptor: passed?.raw, to: descriptor.raw)) ?? .wouldBlock {
    case .sent(let count): count
    case .wouldBlock: 0
    case .closed: nil
    }
  }

  /// Watches for room while something waits, and only then.
  func watch(in epoll: borrowing Epoll, token: UInt64) {
    guard hasOutput != waitsForRoom else { return }
    waitsForRoom = hasOutput
    try? epoll.modify(descriptor.raw, token: token, interest: hasOutput ? [.readable, .writable] : .readable)
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
    tell(message, descriptor: program.pidfd)
  }

  /// Reads what has come, for `next`; false at the end.
  func receive(_ buffer: inout ReceiveBuffer) -> Bool {
    switch (try? UnixSocket.receive(into: &buffer, from: descriptor.raw)) ?? .endOfStream {
    case .bytes(_, let passed):
      if let passed { descriptors.append(passed) }
      reader.append(buffer.received, descriptors: passed == nil ? 0 : 1)
      return true
    case .wouldBlock: return true
    case .descriptorLost, .endOfStream: return false
    }
  }

  /// The next message that has come, with the descriptor that travelled with it. Each is carried out before
  /// the next one is read: reading it may be what ends the daemon.
  func next() -> (message: Message, descriptor: DescriptorBox?)? {
    while let line = reader.next() {
      let own = line.descriptors > 0 && !descriptors.isEmpty ? descriptors.removeFirst() : nil
      if case .message(let message) = line.content { return (message, own) }
    }
    return nil
  }
}

extension Message {
  /// What `run` asked for, so that it still holds after a restart of the daemon.
  fileprivate func adding(_ registration: Registration, _ command: CommandRules) -> Message {
    (registration.isSpared ? adding(Shelf.spared) : self).adding(.text, command.words)
      .adding(.keepAlive, nanoseconds: registration.keepAlive?.nanoseconds)
      .adding(.linger, nanoseconds: registration.linger?.nanoseconds)
      .adding(.silence, nanoseconds: registration.silence?.nanoseconds)
      .adding(.udpKeepalive, nanoseconds: registration.udpKeepAlive?.nanoseconds)
      .adding(.udpKeepaliveTo, command.udpKeepAliveTo?.description).adding(.timers, command.timers)
      .adding(.tcpKeepalive, nanoseconds: command.tcpKeepAlive.map { Int64($0) * 1_000_000_000 })
      .adding(.wakeOn, list: command.wakeOn.isEmpty ? nil : command.wakeOn.map { "\($0)" })
      .adding(.ignore, list: command.ignore.isEmpty ? nil : command.ignore.map { "\($0)" })
  }
}

import Glibc
package import LullSystem
import Synchronization
import Testing

/// A daemon that knows only the protocol's form: it records every request and answers it by a rule. Without a
/// rule it answers `ok` with every number that a program needs, counted up.
package final class FakeDaemon: Sendable {
  package typealias Rule = @Sendable (_ request: String) -> String?

  private struct State {
    var requests: [String] = []
    /// The numbers of those that are answered, and of those that the test has waited for.
    var (answered, awaited) = (0, 0)
    var handed: [(line: String, file: FileIdentity)] = []
    var sound: [Int32] = []
    var rule: Rule = { _ in nil }
    var lastNumber = 0
  }

  package let path: String
  private let state = Mutex(State())
  private let server: LineServer
  private let changed: (read: Int32, write: Int32)

  /// The answer of a rule that answers nothing.
  package static let silence = "(silence)"
  /// The answer of a rule that breaks the connection.
  package static let death = "(death)"

  package init(path: String? = nil, rule: @escaping Rule = { _ in nil }) throws {
    self.path = path ?? FakeDaemon.freshPath()
    server = try LineServer(path: self.path)
    let (near, far) = try UnixSocket.pair()
    changed = (FakeDaemon.leaked(near), FakeDaemon.leaked(far))
    state.withLock { $0.rule = rule }
    server.serve { [self] event in
      if case .line(let line, let descriptor) = event { reply(to: line, descriptor) }
      _ = try? Socket.write(changed.write, [1])
    }
  }

  /// The socket is closed with the process: the thread may still use it.
  private static func leaked(_ box: DescriptorBox) -> Int32 {
    switch box.take() {
    case .some(let descriptor): descriptor.take()
    case .none: -1
    }
  }

  private static let counter = Atomic(0)

  package static func freshPath() -> String {
    let directory = Identity.environment("TMPDIR") ?? "/tmp"
    return "\(directory)/fake-\(getpid())-\(counter.add(1, ordering: .relaxed).newValue).socket"
  }

  /// Ends the thread; the listening socket goes, as when the daemon is killed.
  package func stop() {
    server.stop()
    _ = unsafe unlink(path)
  }

  /// Breaks the connection, as the death of the daemon does; the socket goes on accepting.
  package func hangUp() { server.hangUp() }

  package var requests: [String] { state.withLock { $0.requests } }
  /// The descriptors that came with requests.
  package var handed: [(line: String, file: FileIdentity)] { state.withLock { $0.handed } }

  /// Takes the ring and the doorbell of the last session; the caller closes them.
  package func takeSound() -> (ring: Int32, doorbell: Int32)? {
    state.withLock { state in
      guard state.sound.count == 2 else { return nil }
      defer { state.sound.removeAll() }
      return (state.sound[0], state.sound[1])
    }
  }

  package func answer(by rule: @escaping Rule) { state.withLock { $0.rule = rule } }

  package func forget() {
    state.withLock { ($0.requests, $0.answered, $0.awaited) = ([], 0, 0) }
  }

  /// Waits until the next request with this verb is answered; those before it are passed over.
  package func wait(for verb: String) throws {
    while true {
      let isAnswered = state.withLock { state in
        while state.awaited < state.answered {
          state.awaited += 1
          let request = state.requests[state.awaited - 1]
          if request.prefix(while: { $0 != " " }) == verb { return true }
        }
        return false
      }
      if isAnswered { return }
      try ready(signal, .readable, "no \(verb)")
      drain()
    }
  }

  /// Writes a text line to the program.
  package func send(_ lines: String...) throws {
    #expect(server.send(lines))
  }

  /// Writes a text as it is, such as the beginning of a line, with a file of these bytes beside it.
  package func send(_ text: String, payload: String) throws {
    let file = try Files.memoryFile(name: "payload", Array(payload.utf8))
    #expect(server.send(text, descriptor: file.raw))
  }

  /// Readable when a request has come since the last read.
  package var signal: Int32 { changed.read }

  package func drain() {
    var buffer = ReceiveBuffer(capacity: 4096)
    _ = try? Socket.read(changed.read, into: &buffer)
  }

  private func reply(to line: String, _ descriptor: DescriptorBox?) {
    let (rule, number) = state.withLock { state in
      state.requests.append(line)
      if let descriptor, let file = try? FileIdentity.of(descriptor.raw) {
        state.handed.append((line, file))
      }
      if let descriptor, line == "ring" || line.hasPrefix("doorbell") {
        state.sound.append(FakeDaemon.leaked(descriptor))
      }
      state.lastNumber += 1
      return (state.rule, state.lastNumber)
    }
    let answer =
      rule(line)
      ?? "ok name=\(line.fields["name"] ?? "-") handover=false line=\(number) task=\(number) "
      + "notification=\(number) session=\(number) count=1 seconds=42"
    switch answer {
    case FakeDaemon.silence: break
    case FakeDaemon.death: hangUp()
    default: server.send([answer])
    }
    state.withLock { $0.answered = $0.requests.count }
  }
}

extension String {
  /// The bare fields of a text line.
  package var fields: [String: String] {
    var fields: [String: String] = [:]
    for word in split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
    }
    return fields
  }
}

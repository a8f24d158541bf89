import Glibc
import LullSystem
import Synchronization
import Testing

/// Runs on a thread of its own, because the library waits for answers on the thread of the test.
private func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Work {
    let body: @Sendable () -> Void; init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
  let result = unsafe pthread_create(
    &thread, nil,
    { work in
      guard let work = unsafe work else { return nil }
      unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
      return nil
    }, work)
  precondition(result == 0, "pthread_create")
  pthread_detach(thread)
}

/// A daemon that knows only the protocol's form: it writes down every request and answers it by a rule. Without a rule
/// it answers `ok` with every number that a program needs, counted up.
final class FakeDaemon: Sendable {
  typealias Rule = @Sendable (_ request: String) -> String?

  private struct State {
    var requests: [String] = []
    var handed: [(line: String, file: FileIdentity)] = []
    var sound: [Int32] = []
    var connection: Int32 = -1
    var isOver = false
    var rule: Rule = { _ in nil }
    var lastNumber = 0
  }

  let path: String
  private let state = Mutex(State())
  private let listener: Int32
  private let changed: (read: Int32, write: Int32)

  /// The answer of a rule that answers nothing.
  static let silence = "(silence)"
  /// The answer of a rule that breaks the connection.
  static let death = "(death)"

  init(path: String? = nil, rule: @escaping Rule = { _ in nil }) throws {
    self.path = path ?? FakeDaemon.freshPath()
    listener = try UnixSocket.listen(path: self.path).take()
    let (near, far) = try UnixSocket.pair()
    changed = (FakeDaemon.leaked(near), FakeDaemon.leaked(far))
    state.withLock { $0.rule = rule }
    startThread { [self] in serve() }
  }

  /// Closed with the process: the thread may still use it.
  private static func leaked(_ box: DescriptorBox) -> Int32 {
    switch box.take() {
    case .some(let descriptor): descriptor.take()
    case .none: -1
    }
  }

  private static let counter = Atomic(0)

  static func freshPath() -> String {
    let directory = Identity.environment("TMPDIR") ?? "/tmp"
    return "\(directory)/fake-\(getpid())-\(counter.add(1, ordering: .relaxed).newValue).socket"
  }

  /// Ends the thread; the listening socket goes, as when the daemon is killed.
  func stop() {
    state.withLock { state in
      state.isOver = true
      if state.connection >= 0 { shutdown(state.connection, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
    _ = unsafe unlink(path)
  }

  /// Breaks the connection, as the death of the daemon does; the socket goes on accepting.
  func hangUp() {
    state.withLock { _ = shutdown($0.connection, Int32(SHUT_RDWR)) }
  }

  var requests: [String] { state.withLock { $0.requests } }
  /// The descriptors that came with requests.
  var handed: [(line: String, file: FileIdentity)] { state.withLock { $0.handed } }

  /// Takes the ring and the bell of the last session; whoever takes them closes them.
  func takeSound() -> (ring: Int32, bell: Int32)? {
    state.withLock { state in
      guard state.sound.count == 2 else { return nil }
      defer { state.sound.removeAll() }
      return (state.sound[0], state.sound[1])
    }
  }

  func answer(by rule: @escaping Rule) { state.withLock { $0.rule = rule } }

  func forget() { state.withLock { $0.requests.removeAll() } }

  /// Writes a line to the program.
  func send(_ lines: String...) throws {
    let connection = state.withLock { $0.connection }
    let text = lines.map { $0 + "\n" }.joined()
    #expect(try UnixSocket.send(Array(text.utf8), to: connection) == .sent(text.utf8.count))
  }

  /// Readable when a request has come since the last look.
  var signal: Int32 { changed.read }

  func drain() {
    var buffer = ReceiveBuffer(capacity: 4096)
    _ = try? Socket.read(changed.read, into: &buffer)
  }

  private func serve() {
    defer {
      close(listener)
      // Dropped by the thread that polls it nowhere else.
      note { $0.connection = -1 }
    }
    while true {
      _ = try? Socket.poll(listener, .readable, timeoutMilliseconds: -1)
      if state.withLock({ $0.isOver }) { return }
      guard let accepted = try? UnixSocket.accept(from: listener) else { continue }
      converse(accepted)
    }
  }

  private func converse(_ connection: borrowing Descriptor) {
    let raw = connection.raw
    note { $0.connection = raw }
    var buffer = ReceiveBuffer(capacity: 8192)
    var text: [UInt8] = []
    while true {
      _ = try? Socket.poll(raw, .readable, timeoutMilliseconds: -1)
      var descriptor: DescriptorBox?
      switch try? UnixSocket.receive(into: &buffer, from: raw) {
      case .bytes(_, let box):
        text += buffer.received
        descriptor = box
      case .wouldBlock: continue
      default: return note { $0.connection = -1 }
      }
      while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: text[..<end], as: UTF8.self)
        text.removeSubrange(...end)
        // A descriptor belongs to the last line of its read.
        reply(to: line, on: raw, text.isEmpty ? descriptor : nil)
      }
    }
  }

  private func reply(to line: String, on raw: Int32, _ descriptor: DescriptorBox?) {
    let (rule, number) = state.withLock { state in
      state.requests.append(line)
      if let descriptor, let file = try? FileIdentity.of(descriptor.raw) {
        state.handed.append((line, file))
      }
      if let descriptor, line == "ring" || line.hasPrefix("bell") {
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
    default: _ = try? UnixSocket.send(Array((answer + "\n").utf8), to: raw)
    }
    note { _ in }
  }

  private func note(_ change: @Sendable (inout State) -> Void) {
    state.withLock { change(&$0) }
    _ = try? Socket.write(changed.write, [1])
  }
}

extension String {
  /// The bare fields of a line.
  var fields: [String: String] {
    var fields: [String: String] = [:]
    for word in split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
    }
    return fields
  }
}

import Glibc
package import LullSystem
import Synchronization

/// A listening Unix socket whose text lines a test answers. It is served by a thread of its own, because a
/// library waits for answers on the thread of the test. One connection is served after the other.
package final class LineServer: Sendable {
  package enum Event {
    case connected
    /// A text line without its end. A descriptor belongs to the last text line of its read.
    case line(String, DescriptorBox?)
    case ended
  }

  private let listener: Int32
  private let state = Mutex((connection: Int32(-1), isOver: false))

  package init(path: String) throws { listener = try UnixSocket.listen(path: path).take() }

  /// Starts the thread, which calls `handle`.
  package func serve(_ handle: @escaping @Sendable (Event) -> Void) {
    startThread { [self] in
      // The listener is closed here, by the one thread that polls it.
      defer { close(listener) }
      while true {
        _ = try? Socket.poll(listener, .readable, timeoutMilliseconds: -1)
        if state.withLock({ $0.isOver }) { return }
        guard let accepted = try? Socket.accept(from: listener) else { continue }
        converse(accepted, handle)
      }
    }
  }

  /// Writes text lines to the connection; returns false when they were not taken, or there is none.
  @discardableResult
  package func send(_ lines: [String]) -> Bool { send(lines.map { $0 + "\n" }.joined(), descriptor: nil) }

  /// Writes a text as it is, with a descriptor beside it.
  package func send(_ text: String, descriptor: Int32?) -> Bool {
    let bytes = Array(text.utf8)
    return state.withLock { state in
      (try? UnixSocket.send(bytes, descriptor: descriptor, to: state.connection)) == .sent(bytes.count)
    }
  }

  /// Breaks the connection; the socket goes on accepting.
  package func hangUp() { state.withLock { _ = shutdown($0.connection, Int32(SHUT_RDWR)) } }

  /// Breaks the connection and ends the thread.
  package func stop() {
    state.withLock { $0.isOver = true }
    hangUp()
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func converse(_ connection: borrowing Descriptor, _ handle: (Event) -> Void) {
    let raw = connection.raw
    state.withLock { $0.connection = raw }
    handle(.connected)
    defer {
      state.withLock { $0.connection = -1 }
      handle(.ended)
    }
    var buffer = ReceiveBuffer(capacity: 8192)
    var text: [UInt8] = []
    while true {
      _ = try? Socket.poll(raw, .readable, timeoutMilliseconds: -1)
      var descriptor: DescriptorBox?
      switch try? UnixSocket.receive(into: &buffer, from: raw) {
      case .bytes(_, let box): (text, descriptor) = (text + buffer.received, box)
      case .wouldBlock: continue
      default: return
      }
      while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: text[..<end], as: UTF8.self)
        text.removeSubrange(...end)
        handle(.line(line, text.isEmpty ? descriptor : nil))
      }
    }
  }
}

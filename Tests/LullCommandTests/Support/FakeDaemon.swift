import LullSystem
import LullWire
import Testing

/// One connection of `lull` to the daemon that the test plays.
final class FakeClient {
  let box: DescriptorBox
  /// The process at the other end.
  let pid: Int32
  /// True for the first connection of the process.
  let isFirst: Bool
  /// A mark of the script.
  var hasHeard = false
  private var reader = LineReader()
  private var buffer = ReceiveBuffer(capacity: 8192)
  private var descriptors: [DescriptorBox] = []

  init(_ descriptor: consuming Descriptor, isFirst: Bool = true) throws {
    self.isFirst = isFirst
    box = DescriptorBox(descriptor)
    pid = try UnixSocket.peer(of: box.raw).pid
  }

  var isOpen: Bool { box.isOpen }

  /// Writes text lines to `lull`.
  func say(_ lines: String...) throws {
    let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
    #expect(try UnixSocket.send(bytes, to: box.raw) == .sent(bytes.count))
  }

  func close() { box.close() }

  /// Reads the bytes that have come; calls `handle` for each request.
  func read(_ handle: (Request, DescriptorBox?) throws -> Void) throws {
    guard isOpen else { return }
    switch try UnixSocket.receive(into: &buffer, from: box.raw) {
    case .bytes(_, let descriptor):
      if let descriptor { descriptors.append(descriptor) }
      reader.append(buffer.received, descriptors: descriptor == nil ? 0 : 1)
    case .endOfStream, .descriptorLost: close()
    case .wouldBlock: return
    }
    while isOpen, let line = reader.next() {
      guard case .message(let message) = line.content else {
        Issue.record("lull sent a line that is no message: \(line.content)")
        continue
      }
      let descriptor = line.descriptors > 0 ? descriptors.removeFirst() : nil
      try handle(try Request.parse(message), descriptor)
    }
  }
}

/// The script of a test: the daemon's work for a request with its descriptor.
typealias Script = (Request, FakeClient, DescriptorBox?) throws -> Void

enum Scripts {
  /// A daemon that has no program, and knows none.
  static var idle: Script {
    { request, client, _ in
      switch request {
      case .installed(name: nil, start: _): try client.say("ok count=0")
      default: try client.say("error code=no-such-program message=none")
      }
    }
  }
}

internal import LullSystem

struct OutputQueue {
  private var bytes: [UInt8] = []
  private var head = 0

  var count: Int { bytes.count - head }

  mutating func append(_ more: [UInt8]) {
    bytes.append(contentsOf: more)
  }

  mutating func removeAll() {
    self = OutputQueue()
  }

  /// Sends until the connection takes no more. An error is left for the stream's next event, which reports
  /// it.
  mutating func send(to raw: Int32) {
    while count > 0 {
      guard case .sent(let sent) = try? Socket.write(raw, bytes.span.extracting(head...)) else { break }
      head += sent
    }
    if count == 0 {
      bytes.removeAll(keepingCapacity: true)
      head = 0
    } else if head > bytes.count / 2 {
      bytes.removeSubrange(..<head)
      head = 0
    }
  }
}

import LullSystem
import LullWire

/// Text lines that wait until they are taken, with the descriptors that travel with them.
struct OutgoingLines {
  private struct Attachment {
    let line: Range<Int>
    let descriptor: DescriptorBox
  }

  private var bytes: [UInt8] = []
  private var head = 0
  private var attachments: [Attachment] = []
  private let total: OutputTotal

  init(countedIn total: OutputTotal) { self.total = total }

  var count: Int { bytes.count - head }
  var isEmpty: Bool { head == bytes.count }
  var descriptorCount: Int { attachments.count }

  mutating func append(_ message: Message, maximumLine: Int, _ descriptor: DescriptorBox?) {
    let start = bytes.count
    message.encodeTruncating(into: &bytes, maximumLine: maximumLine)
    added(from: start, descriptor)
  }

  mutating func append(line: [UInt8], _ descriptor: DescriptorBox?) {
    let start = bytes.count
    bytes += line
    added(from: start, descriptor)
  }

  private mutating func added(from start: Int, _ descriptor: DescriptorBox?) {
    if let descriptor {
      attachments.append(Attachment(line: start..<bytes.count, descriptor: descriptor))
    }
    total.add(bytes.count - start)
  }

  /// Takes back the bytes that were appended after the first `count` waiting ones; none of them has been
  /// sent.
  mutating func removeLast(downTo count: Int) {
    let end = head + count
    total.add(end - bytes.count)
    bytes.removeSubrange(end...)
    attachments.removeAll { $0.line.lowerBound >= end }
  }

  /// Sends the beginning of what waits: a text line with its descriptor, or the text lines before the next
  /// one with a descriptor.
  mutating func sendNext(to raw: Int32) throws(SystemError) -> SendOutcome {
    var end = bytes.count
    var passed: Int32?
    if let next = attachments.first {
      let isDue = next.line.lowerBound == head
      // The reader gives a descriptor to the last text line of what travelled with it.
      end = isDue ? next.line.upperBound : next.line.lowerBound
      // Its owner may have closed it meanwhile, and the number may be another file's by now.
      if isDue, next.descriptor.isOpen { passed = next.descriptor.raw }
    }
    let outcome = try UnixSocket.send(bytes.span.extracting(head..<end), descriptor: passed, to: raw)
    if case .sent(let count) = outcome { took(count) }
    return outcome
  }

  private mutating func took(_ count: Int) {
    total.add(-count)
    head += count
    if let first = attachments.first, first.line.lowerBound < head { attachments.removeFirst() }
    if isEmpty {
      // An idle peer costs no room.
      (bytes, head) = ([], 0)
    } else if head > bytes.count / 2 {
      compact()
    }
  }

  private mutating func compact() {
    bytes.removeSubrange(..<head)
    attachments = attachments.map {
      Attachment(line: $0.line.lowerBound - head..<$0.line.upperBound - head, descriptor: $0.descriptor)
    }
    head = 0
  }

  mutating func removeAll() {
    total.add(-count)
    (bytes, head, attachments) = ([], 0, [])
  }
}

/// The bytes that wait in several channels together: many peers that take nothing cost no more than few.
package final class OutputTotal {
  /// The bytes of an answer that are made at once, and the same while much waits.
  private static let slice = 1 << 14, smallSlice = 1 << 10

  /// Above it some peers are to be dropped: see `MessageChannel.overrun`.
  package let maximum: Int
  private let plenty: Int
  package private(set) var bytes = 0

  /// From `plenty` bytes on, answers are made in small slices.
  package init(plenty: Int = 4 << 20, maximum: Int = 24 << 20) {
    (self.plenty, self.maximum) = (plenty, maximum)
  }

  package var isScarce: Bool { bytes >= plenty }
  package var slice: Int { isScarce ? Self.smallSlice : Self.slice }

  func add(_ count: Int) { bytes += count }
}

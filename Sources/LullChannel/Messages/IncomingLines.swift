import LullSystem
import LullWire

/// At most one unfinished text line and the bytes of one read, with the descriptors of their lines.
struct IncomingLines {
  private let maximumLine: Int
  private var reader: LineReader
  private var descriptors: [DescriptorBox] = []

  init(maximumLine: Int) {
    self.maximumLine = maximumLine
    reader = LineReader(maximumLine: maximumLine)
  }

  /// No more than belongs to one text line, so that hardly ever more waits to be worked off.
  var room: Int { max(1, maximumLine - reader.pendingBytes) }

  var descriptorCount: Int { descriptors.count }

  mutating func append(_ bytes: ArraySlice<UInt8>, _ descriptor: DescriptorBox?) {
    if let descriptor { descriptors.append(descriptor) }
    reader.append(bytes, descriptors: descriptor == nil ? 0 : 1)
  }

  mutating func next() -> Incoming? {
    guard let line = reader.next() else { return nil }
    let own = Array(descriptors.prefix(line.descriptors))
    descriptors.removeFirst(own.count)
    switch line.content {
    case .tooLong: return .ended(.tooLong)
    case _ where own.count > 1: return .invalid(.malformed(reason: MessageChannel.oneDescriptor))
    case .message(let message): return .message(message, own.first)
    case .invalid(let error): return .invalid(error)
    }
  }

  mutating func removeAll() { self = IncomingLines(maximumLine: maximumLine) }
}

import LullSystem
import LullWire

/// The kept lines that lull-guard hands to the next guard by way of the service manager's fd store: messages
/// as lulld sent them, each with its descriptor.
///
/// The messages are the text lines of one file in memory. Each begins with the name under which its
/// descriptor is kept.
struct ServiceStore {
  struct Item {
    let message: Message
    let descriptor: DescriptorBox
  }

  private static let linesName = "lull-lines"
  /// The most bytes of all text lines, so that a file of somebody else takes no memory.
  private static let maximumBytes = 1 << 26

  let items: [Item]

  init(_ items: [Item]) { self.items = items }

  // MARK: To the service manager

  func descriptors() throws(SystemError) -> [ServiceManager.Stored] {
    var lines: [UInt8] = []
    var stored: [ServiceManager.Stored] = []
    for item in items {
      let name = "lull-\(stored.count + 1)"
      lines += Array("\(name) ".utf8)
      item.message.encodeTruncating(into: &lines, maximumLine: Limits.maximumGuardLine)
      stored.append(.init(name: name, descriptor: item.descriptor))
    }
    let file = DescriptorBox(try Files.memoryFile(name: Self.linesName, lines))
    return stored + [.init(name: Self.linesName, descriptor: file)]
  }

  // MARK: From the service manager

  /// A text line that cannot be read, or whose descriptor is missing, is passed over.
  init(_ inherited: InheritedDescriptors) {
    guard let file = inherited[Self.linesName],
      let bytes = StandardErrorLog.guardian.ignoring(
        [], try Files.readMemoryFile(file.raw, limit: Self.maximumBytes))
    else {
      items = []
      return
    }
    items = bytes.split(separator: UInt8(ascii: "\n")).compactMap { Self.item($0, inherited) }
  }

  private static func item(_ line: ArraySlice<UInt8>, _ inherited: InheritedDescriptors) -> Item? {
    guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
    let name = String(decoding: line[..<space], as: UTF8.self)
    let rest = line[(space + 1)...]
    guard let message = try? Message.parse(rest.span, maximumLine: Limits.maximumGuardLine),
      message.verb == GuardVerb.keepLine.rawValue
    else { return nil }
    return inherited[name].map { Item(message: message, descriptor: $0) }
  }
}

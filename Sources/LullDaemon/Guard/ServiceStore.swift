import LullSystem
import LullWire

/// What lull-guard hands to the next guard by way of the service manager's fd store: messages as lulld sent
/// them, some of which have a descriptor.
///
/// The messages are the lines of one file in memory. Each begins with the name under which its descriptor is
/// kept, or with `-`.
struct ServiceStore {
  struct Item {
    let message: Message
    let descriptor: DescriptorBox?
  }

  private static let linesName = "lull-lines"
  private static let none = "-"
  /// The most bytes of all lines, so that a file of somebody else takes no memory.
  private static let maximumBytes = 1 << 26

  let items: [Item]

  init(_ items: [Item]) { self.items = items }

  // MARK: To the service manager

  /// What the service manager is to keep: the lines, and each descriptor.
  func kept() throws(SystemError) -> [ServiceManager.Kept] {
    var lines: [UInt8] = []
    var kept: [ServiceManager.Kept] = []
    for item in items {
      let name = item.descriptor.map { _ in "lull-\(kept.count + 1)" } ?? Self.none
      lines += Array("\(name) ".utf8)
      item.message.encodeTruncating(into: &lines, maximumLine: Limits.maximumGuardLine)
      if let descriptor = item.descriptor { kept.append(.init(name: name, descriptor: descriptor)) }
    }
    let file = DescriptorBox(try Files.memoryFile(name: Self.linesName, lines))
    return kept + [.init(name: Self.linesName, descriptor: file)]
  }

  /// The names of the descriptors, in the order of `kept`.
  static func names(_ count: Int) -> [String] { (1..<max(count, 1)).map { "lull-\($0)" } + [linesName] }

  // MARK: From the service manager

  /// The items of the guard before this one. A line that cannot be read, or whose descriptor is missing, is
  /// passed over: its program has ended, or it goes on without Lull.
  init(_ inherited: InheritedDescriptors) {
    guard let file = inherited[Self.linesName],
      let bytes = Guard.log.ignoring([], try Files.readMemoryFile(file.raw, limit: Self.maximumBytes))
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
    guard let message = try? Message.parse(rest.span, maximumLine: Limits.maximumGuardLine) else {
      return nil
    }
    if name == none { return Item(message: message, descriptor: nil) }
    return inherited[name].map { Item(message: message, descriptor: $0) }
  }
}

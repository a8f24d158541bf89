import LullWire

/// Reads entries back from the journal's files, oldest first.
struct JournalReader {
  private(set) var entries: [Journal.Entry] = []
  private let boot: String?
  private var origin = Journal.Entry.Origin.earlierBoot

  /// A reader in a machine that was started under this name.
  init(boot: String?) { self.boot = boot }

  /// Reads one file. A line that is none of the journal's is passed over, also a torn one at the end.
  mutating func read(_ bytes: [UInt8]) {
    let lineFeed = UInt8(ascii: "\n")
    // What follows the last line feed was torn.
    guard let end = bytes.lastIndex(of: lineFeed) else { return }
    for line in bytes[...end].split(separator: lineFeed) {
      guard let message = try? Message.parse(line) else { continue }
      if message.verb == JournalFile.headVerb {
        origin = boot != nil && message[.boot] == boot ? .earlier : .earlierBoot
      } else if let entry = Journal.Entry(message, origin: origin) {
        entries.append(entry)
      }
    }
  }
}

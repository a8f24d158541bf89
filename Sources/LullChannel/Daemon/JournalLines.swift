package import LullSystem
package import LullWire

/// The lines of the journal's files, `journal.log` and the older `journal.log.1` in the state directory.
/// lulld writes them and reads them back.
package struct JournalLines {
  package struct Line {
    /// With the fields of an entry of `log`.
    package let entry: Message
    package let isOfThisBoot: Bool
  }

  package static let entryVerb = "entry", headVerb = "journal"
  /// In bytes; a file of this size is renamed.
  package static let maximumBytes = 1 << 20

  /// Oldest first.
  package private(set) var lines: [Line] = []
  private let boot: String?
  private var isOfThisBoot = false

  package init(boot: String? = BootIdentity.current()) { self.boot = boot }

  package static func path(in directory: String) -> String { "\(directory)/journal.log" }

  /// A file that is missing, and what stands in its place, is told to `failed`. The corresponding C functions
  /// are `open` and `read`.
  package mutating func read(from directory: String, failed: (SystemError) -> Void) {
    let path = Self.path(in: directory)
    for name in [path + ".1", path] {
      do throws(SystemError) {
        read(try Files.readOwn(name, limit: 2 * Self.maximumBytes))
      } catch {
        failed(error)
      }
    }
  }

  /// A line that is not the journal's is passed over, also a torn one at the end.
  mutating func read(_ bytes: [UInt8]) {
    let lineFeed = UInt8(ascii: "\n")
    // What follows the last line feed was torn.
    guard let end = bytes.lastIndex(of: lineFeed) else { return }
    for line in bytes[...end].split(separator: lineFeed) {
      guard let message = try? Message.parse(line) else { continue }
      switch message.verb {
      case Self.headVerb: isOfThisBoot = boot != nil && message[.boot] == boot
      case Self.entryVerb: lines.append(Line(entry: message, isOfThisBoot: isOfThisBoot))
      default: continue
      }
    }
  }
}

import LullSystem
package import LullWire

/// The file of the last ends, which lulld writes; `lull why` reads it where no daemon runs.
package enum EndedFile {
  /// The name in the state directory, and the most bytes that are read.
  package static let name = "ended", maximumBytes = 1 << 20

  /// The last end of a program that is on disk, whoever saw it; nil when there is none.
  package static func lastEnd(of program: String) -> Message? {
    guard let directory = StateDirectory.path() else { return nil }
    let bytes = (try? Files.readOwn("\(directory)/\(name)", limit: maximumBytes)) ?? []
    let lines = bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      try? Message.parse(String(decoding: line, as: UTF8.self))
    }
    let ends = lines + AloneEnds.files(in: directory).compactMap(AloneEnds.read)
    let own = ends.filter { $0.itemKind == .ended && $0[.name] == program }
    return own.max { moment(of: $0) < moment(of: $1) }
  }

  private static func moment(of end: Message) -> Double { (try? end.number(.at)) ?? 0 }
}

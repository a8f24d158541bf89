package import LullSystem
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
    let last = own.max { moment(of: $0) < moment(of: $1) }
    return last.map { isOver($0) ? $0.adding(.left, false) : $0 }
  }

  /// The line of a program that has left, with the process that goes on.
  package static func adding(_ process: ProcessIdentity, to line: Message) -> Message {
    line.adding(.pid, process.pid).adding(.start, process.start).adding(.boot, BootIdentity.current())
  }

  /// The process of a program that has left; nil where its line names none of this boot.
  package static func process(of line: Message) -> ProcessIdentity? {
    guard line[.boot] == BootIdentity.current(),
      let pid = (try? line.integer(.pid)).flatMap(Int32.init(exactly:)),
      let start = try? line.unsigned(.start)
    else { return nil }
    return ProcessIdentity(pid: pid, start: start)
  }

  /// True of a program that had left and whose process has ended since.
  package static func isOver(_ line: Message) -> Bool {
    line[.pid] != nil && process(of: line)?.hasEnded != false
  }

  private static func moment(of end: Message) -> Double { (try? end.number(.at)) ?? 0 }
}

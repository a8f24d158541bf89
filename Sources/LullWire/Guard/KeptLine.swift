/// The description of a line that outlives its program: the fields of `keep-line` between `lulld` and
/// `lull-guard`, and of the text lines that the program's next start reads.
package struct KeptLine: Equatable, Sendable {
  /// The reason for which a program is ended while its lines are kept.
  package enum Ending: String, CaseIterable, Sendable {
    /// Somebody is about to start it again.
    case restart
    /// Its memory is needed.
    case purge
  }

  package var id: LineID
  package var program: String
  /// The name that the program gave the line.
  package var name: String?
  /// The purpose that the program declared; nil for a line that was found in a command.
  package var purpose: LinePurpose?
  /// The pings that the daemon answers on the line.
  package var offload: Offload
  package var tcpKeepAlive: Interval?
  /// The moment from which it is kept, as the time since 1970.
  package var since: Interval?
  /// The program's own state of the line, at most ``Limits/maximumLineState`` bytes.
  package var state: [UInt8]
  /// The program of the line has ended. While it is false, the program runs and may crash.
  package var isWaiting: Bool
  /// The reason for which its program is ended, or was; nil for one that goes on, or has crashed.
  package var ending: Ending?

  package init(
    id: LineID, program: String, name: String? = nil, purpose: LinePurpose? = nil, offload: Offload = [],
    tcpKeepAlive: Interval? = nil, since: Interval? = nil, state: [UInt8] = [], isWaiting: Bool = false,
    ending: Ending? = nil
  ) {
    (self.id, self.program, self.name, self.purpose) = (id, program, name, purpose)
    (self.offload, self.tcpKeepAlive, self.since) = (offload, tcpKeepAlive, since)
    (self.state, self.isWaiting, self.ending) = (state, isWaiting, ending)
  }
}

extension KeptLine: FieldGroup {
  package static var blank: Self { .init(id: LineID(0), program: "") }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      id: try fields.needed(.line, .identifier, value: id),
      program: try fields.needed(.program, .programName, value: program),
      name: try fields.optional(.name, .programName, value: name),
      purpose: try fields.optional(.type, .word, value: purpose),
      offload: try fields.set(.offload, offload),
      tcpKeepAlive: try fields.optional(
        .tcpKeepalive, .seconds(in: Bounds.tcpKeepAlives), value: tcpKeepAlive),
      since: try fields.optional(.since, .seconds(in: Bounds.dates), value: since),
      state: try fields.list(.state, .bytes, value: state),
      isWaiting: try fields.flag(.waiting, isWaiting),
      ending: try fields.optional(.why, .word, value: ending))
  }
}

extension KeptLine {
  /// The variable in the program's environment that has the number of the descriptor with the text lines.
  package static let variable = "LULL_LINES"

  /// The program's next start reads them, in the order of their descriptors.
  package static func text(_ lines: [KeptLine]) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines {
      line.adding(to: Message(.keepLine)).encodeTruncating(
        into: &bytes, maximumLine: Limits.maximumGuardLine)
    }
    return bytes
  }

  /// The names of a program's lines for its next start, in the order of their descriptors: a line's own name,
  /// or `line-1`, `line-2`, ... by its place.
  package static func names(_ lines: [KeptLine]) -> [String] {
    lines.enumerated().map { $1.name ?? "line-\($0 + 1)" }
  }

  /// A text line that describes no line is passed over.
  package static func lines(_ bytes: [UInt8]) -> [KeptLine] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { text in
      (try? Message.parse(text.span, maximumLine: Limits.maximumGuardLine)).flatMap { try? KeptLine($0) }
    }
  }
}

extension FieldType<[UInt8]> {
  /// Bytes, two hexadecimal digits for each.
  fileprivate static var bytes: Self {
    .init(
      .text, expected: "two hexadecimal digits for each of at most \(Limits.maximumLineState) bytes"
    ) { text in
      let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
      guard digits.count == text.utf8.count, digits.count % 2 == 0,
        digits.count <= 2 * Limits.maximumLineState
      else { return nil }
      return stride(from: 0, to: digits.count, by: 2).map { UInt8(16 * digits[$0] + digits[$0 + 1]) }
    } text: { bytes in
      let digits = Array("0123456789abcdef".utf8)
      return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
  }
}

package import LullSystem
package import LullWire

/// Ends of programs that no daemon has seen, for the next one. Whoever sees such an end writes a file of its
/// own, so that no two writers meet; lulld takes them up among all other ends.
package enum AloneEnds {
  /// Why a program ended, where its status does not say so. Raw values are words of the item `ended`.
  package enum Reason: String, Sendable {
    /// The user quit it.
    case quit
  }

  /// The files that are read of them, and the bytes of each.
  private static let most = 1024, maximumBytes = 4096
  private static let suffix = ".end"

  private static func folder(in directory: String) -> String { directory + "/ended-alone" }

  /// Writes an end of this moment; one of the same name that nobody has read yet is forgotten. The
  /// corresponding C functions are `write`, `fsync` and `rename`.
  package static func note(
    _ name: String, _ status: ExitStatus, for reason: Reason? = nil
  ) throws(SystemError) {
    guard let directory = StateDirectory.path() else { throw .missing("a home directory") }
    let folder = folder(in: directory)
    try StateDirectory.ensure(folder)
    var bytes: [UInt8] = []
    Message(item: .ended).adding(.name, name).adding(.at, Double(Clock.realtime() / 1000) / 1e6)
      .adding(status).adding(.reason, reason?.rawValue).adding(.boot, BootIdentity.current())
      .encodeTruncating(into: &bytes)
    try Files.replace("\(folder)/\(name)\(suffix)", with: bytes, durably: true)
  }

  /// The files of a state directory; none where there is no such folder.
  package static func files(in directory: String) -> [String] {
    let folder = folder(in: directory)
    let entries = (try? Files.entries(of: Array(folder.utf8))) ?? []
    let names = entries.map { String(decoding: $0.name, as: UTF8.self) }.filter { $0.hasSuffix(suffix) }
    return names.prefix(most).map { "\(folder)/\($0)" }
  }

  /// The end that a file tells; nil where it tells none.
  package static func read(_ path: String) -> Message? {
    guard let bytes = try? Files.readOwn(path, limit: maximumBytes) else { return nil }
    let line = bytes.split(separator: UInt8(ascii: "\n")).first ?? []
    return try? Message.parse(String(decoding: line, as: UTF8.self))
  }
}

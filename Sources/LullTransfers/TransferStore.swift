internal import LullChannel
package import LullSystem

/// The files of the transfers. A program writes the one of a transfer once and marks it for removal; all else
/// is done by lull-transfers, which alone writes a file anew, so that nobody waits for a lock.
package struct TransferStore: Sendable {
  /// Transfers of one user, those that have ended among them.
  package static let most = 1024
  private static let mark = ".cancel"

  package let folder: String

  package init(_ folder: String) { self.folder = folder }

  /// `transfers` in ``StateDirectory``; nil when the user has no home directory.
  package static var ofThisUser: TransferStore? {
    StateDirectory.path().map { TransferStore($0 + "/transfers") }
  }

  package func path(of identifier: String) -> String { "\(folder)/\(identifier)" }

  /// The oldest comes first. Those that are to be removed are left out, and so is a file that says nothing.
  package func transfers() throws(SystemError) -> [Transfer] {
    let (names, marked) = (try names(), try marked())
    return names.filter { Self.isIdentifier($0) && !marked.contains($0) }.compactMap { transfer($0) }
      .sorted { ($0.addedAt, $0.identifier) < ($1.addedAt, $1.identifier) }
  }

  package func transfer(_ identifier: String) -> Transfer? {
    guard let bytes = try? Files.readOwn(path(of: identifier), limit: 1 << 16) else { return nil }
    return Transfer(identifier: identifier, record: String(decoding: bytes, as: UTF8.self))
  }

  /// The transfers that a program wants removed.
  package func marked() throws(SystemError) -> [String] {
    try names().filter { $0.hasSuffix(Self.mark) }.map { String($0.dropLast(Self.mark.count)) }
      .filter { Self.isIdentifier($0) }
  }

  /// The transfer outlives a loss of power from then on.
  package func write(_ transfer: Transfer) throws(SystemError) {
    try Files.replace(path(of: transfer.identifier), with: Array(transfer.record.utf8), durably: true)
  }

  /// Has a transfer removed: one that is open is cancelled, one that has finished keeps its file.
  package func mark(_ identifier: String) throws(SystemError) {
    try Files.replace(path(of: identifier) + Self.mark, with: [], durably: true)
  }

  /// Removes a transfer and what has been fetched of it; the mark goes last.
  package func remove(_ identifier: String) {
    if let transfer = transfer(identifier), transfer.state != .finished { removeBytes(of: transfer) }
    for name in [".out", "", Self.mark] { try? Files.unlink(path(of: identifier) + name) }
  }

  package func removeBytes(of transfer: Transfer) {
    for name in ["", ".aria2"] { try? Files.unlink(transfer.partialPath + name) }
  }

  /// Has everything that is open removed of a program that was quit for good.
  package func cancelAll(of program: String) {
    for transfer in (try? transfers()) ?? [] where transfer.program == program && transfer.isOpen {
      try? mark(transfer.identifier)
    }
  }

  package static func isIdentifier(_ name: String) -> Bool {
    name.utf8.count == 16 && name.allSatisfy { $0.isASCII && $0.isHexDigit }
  }

  private func names() throws(SystemError) -> [String] {
    let entries = try Files.ifThere(Files.entries(of: Array(folder.utf8))) ?? []
    return entries.map { String(decoding: $0.name, as: UTF8.self) }
  }
}

package import LullSystem
import LullWire

/// The file of the state directory that says which installed programs ran, and which are not to run. lulld
/// writes it; where no daemon runs, whoever quits a program does.
package enum InstalledStandings {
  /// Its name in the state directory.
  package static let fileName = "installed"
  /// The first word of the line that says how the daemon has ended. That of a program's line is its state.
  package static let headVerb = "installed"
  /// The bytes that are read of it at most.
  package static let maximumBytes = 1 << 20

  /// Notes for the next daemon that the user has quit a program, whatever the file said of it. While a daemon
  /// runs, that writes over it. The corresponding C functions are `read`, `rename` and `fsync`.
  package static func noteQuit(_ name: String) throws(SystemError) {
    guard let folder = StateDirectory.path() else { throw .missing("a home directory") }
    try StateDirectory.ensure(folder)
    let path = "\(folder)/\(fileName)"
    var bytes: [UInt8] = []
    for line in try read(path).split(separator: UInt8(ascii: "\n")) {
      let message = try? Message.parse(line.span, maximumLine: Limits.maximumGuardLine)
      if message?[.name] != name { bytes += line + [UInt8(ascii: "\n")] }
    }
    let state = InstalledState.quit
    KeptInstalled(name: name, state: state).adding(to: Message(state.rawValue)).encodeTruncating(into: &bytes)
    try Files.replace(path, with: bytes, durably: true)
  }

  /// The programs that the user has quit, as the last daemon, or whoever quit one since, has written it.
  package static func quit() -> [String] {
    let bytes = StateDirectory.path().flatMap { try? read("\($0)/\(fileName)") } ?? []
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let message = try? Message.parse(line.span, maximumLine: Limits.maximumGuardLine)
      return message?.verb == InstalledState.quit.rawValue ? message?[.name] : nil
    }
  }

  private static func read(_ path: String) throws(SystemError) -> [UInt8] {
    do {
      return try Files.readOwn(path, limit: maximumBytes)
    } catch {
      guard error.isNoSuchFile else { throw error }
      return []
    }
  }
}

import LullSystem
import TestSupport
import Testing

/// `nc -l`: the server of the README.
final class Netcat {
  let port: UInt16
  private let child: ConnectedChild

  init(port: UInt16? = nil) throws {
    try Executables.requireNetcat()
    self.port = port ?? freePort()
    child = try ConnectedChild(["nc", "-v", "-l", "127.0.0.1", "\(self.port)"])
    _ = try child.errors.line { $0.hasPrefix("Listening") }
  }

  /// The bytes that netcat received, and those that it is to send.
  var line: Channel { child.output }

  func kill() throws {
    try child.signal(Signal.kill)
    try child.end()
  }
}

extension Lull {
  /// Starts lull-phone under the name "phone".
  func startPhone(_ netcat: Netcat, _ options: String...) throws -> ConnectedChild {
    try ConnectedChild(
      [Built.program("lull-phone"), "127.0.0.1:\(netcat.port)", "--name", "phone"] + options,
      environment: environment)
  }
}

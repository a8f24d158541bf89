import LullSystem
import Testing

/// `nc -l`: the server of the README.
final class Netcat {
  let port: UInt16
  private let child: Child

  init(port: UInt16? = nil) throws {
    try Executables.requireNetcat()
    // A port that was free a moment ago.
    self.port = try port ?? Server().port
    child = try Child(["nc", "-v", "-l", "127.0.0.1", "\(self.port)"])
    _ = try child.errors.line { $0.hasPrefix("Listening") }
  }

  /// What it received and what it is to send.
  var line: Channel { child.output }

  func kill() throws {
    try child.signal(Signal.kill)
    try child.waitForEnd()
  }
}

extension Lull {
  /// Starts lull-phone under the name "phone".
  func startPhone(_ netcat: Netcat, _ options: String...) throws -> Child {
    try Child(
      [Executables.path("lull-phone"), "127.0.0.1:\(netcat.port)", "--name", "phone"] + options,
      environment: environment)
  }
}

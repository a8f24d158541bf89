import LullProgram
import LullWire

/// A daemon of another version than this program, as its answer to `hello` tells.
struct OtherVersion {
  let version: String
  let pid: String?

  /// Nil when the daemon is of this version, or does not tell.
  init?(_ hello: Message) {
    guard let version = hello[.version], version != Version.current else { return nil }
    (self.version, pid) = (version, hello[.pid])
  }

  var text: String {
    "\(difference): \(Self.remedy)"
  }

  private var difference: String { "lulld is version \(version), not \(Version.current)" }

  /// The failure of a request that the two versions read differently; other failures are as they are.
  func explained(_ failure: Failure) -> Failure {
    switch failure {
    case .refused(.unknownVerb, _), .refused(.badValue, _), .refused(.missingField, _), .unreadable:
      // It may not know of upgrades either.
      .failed(
        "they misunderstand each other: \(difference): end it (kill \(pid ?? "PID")), run lull again")
    default: failure
    }
  }

  static var remedy: String { "\"lull daemon upgrade\" replaces it" }
}

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

  /// One text line: what differs, and what to do.
  var text: String {
    "lulld is version \(version), not \(Version.current): \(Self.remedy(pid: pid))"
  }

  /// The failure of a request that the two versions read differently; other failures are as they are.
  func explained(_ failure: Failure) -> Failure {
    switch failure {
    case .refused(.unknownVerb, _), .refused(.badValue, _), .refused(.missingField, _), .unreadable:
      .failed("they misunderstand each other: \(text)")
    default: failure
    }
  }

  static func remedy(pid: String?) -> String {
    "end it (kill \(pid ?? "PID")), run lull again"
  }
}

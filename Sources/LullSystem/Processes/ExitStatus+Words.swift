package import LullModel

extension ExitStatus {
  /// For example `status 3`, `SIGTERM` or `status unknown`.
  package var words: String {
    switch self {
    case .exited(let code): "status \(code)"
    case .signaled(let number): Signal.name(of: number)
    case .unknown: "status unknown"
    }
  }

  /// Nil where the program's own parent has taken the status.
  package var knownWords: String? { self == .unknown ? nil : words }
}

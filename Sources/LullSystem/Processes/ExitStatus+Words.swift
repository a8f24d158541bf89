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

  /// Nil for a status that went to somebody else, as that of a program does whose parent is neither `lull`
  /// nor slow to take it.
  package var knownWords: String? { self == .unknown ? nil : words }
}

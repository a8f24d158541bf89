// The end of a process is the only word that the kernel's calls share with the rest.
@_exported public import enum LullModel.ExitStatus

extension ExitStatus {
  /// `status` is as wait(2) tells it.
  init(waited status: Int32) {
    self = status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signaled(status & 0x7f)
  }

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

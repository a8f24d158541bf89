extension Message {
  /// Adds the end of a process: its status or its signal, and nothing for an end that is not known.
  package func adding(_ status: ExitStatus) -> Message {
    switch status {
    case .exited(let code): adding(.status, code)
    case .signaled(let number): adding(.signal, number)
    case .unknown: self
    }
  }

  /// The end of a process; `unknown` when neither its status nor its signal can be read.
  package var exitStatus: ExitStatus {
    if let code = (try? integer(ifPresent: .status)) ?? nil {
      return .exited(Int32(truncatingIfNeeded: code))
    }
    let signal = (try? integer(ifPresent: .signal)) ?? nil
    return signal.map { .signaled(Int32(truncatingIfNeeded: $0)) } ?? .unknown
  }
}

extension Message {
  package func adding(_ status: ExitStatus) -> Message {
    switch status {
    case .exited(let code): adding(.status, code)
    case .signaled(let number): adding(.signal, number)
    case .unknown: self
    }
  }

  package var exitStatus: ExitStatus {
    if let code = (try? integer(ifPresent: .status)) ?? nil {
      return .exited(Int32(truncatingIfNeeded: code))
    }
    let signal = (try? integer(ifPresent: .signal)) ?? nil
    return signal.map { .signaled(Int32(truncatingIfNeeded: $0)) } ?? .unknown
  }
}

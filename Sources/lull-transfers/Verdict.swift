import LullWire

/// What follows from the end of aria2, by its exit status (aria2c(1), "EXIT STATUS") and its last words.
enum Verdict: Equatable {
  case finished
  /// It may go better later.
  case later(String)
  /// The bytes that have come belong to another file than the server has now.
  case changed
  case failed(String)

  init(_ status: ExitStatus?, output: String) {
    guard case .exited(let code)? = status else {
      self = .later("aria2 ended (\(status.map { "\($0)" } ?? "status unknown")); it is started again")
      return
    }
    let answer = Self.lastStatus(output)
    self =
      switch code {
      case 0: .finished
      case 3, 4: .failed("the server has no such file (404)")
      case 8, 10: .changed
      case 9: .failed("the disk is full")
      case 15...18: .failed("cannot be written (\(Self.lastWords(output)))")
      case 22, 24: Self.answered(answer ?? 401)
      case 23: .failed("the server redirects without end")
      case 28: .failed("aria2 knows an option not: \(Self.lastWords(output))")
      case 32: .failed("the file has another checksum")
      case 126, 127: .later("aria2c cannot be started; is the package aria2 installed?")
      case 2, 5: .later("the server is silent")
      case 19: .later("the name of the server is not found")
      case 29: .later("the server is busy")
      default: .later("the connection broke")
      }
  }

  /// The number behind the last `status=`.
  private static func lastStatus(_ output: String) -> Int? {
    var (rest, status) = (output[...], Int?.none)
    while let place = rest.place(of: "status=") {
      rest = rest[place.upperBound...]
      status = Int(rest.prefix { $0.isNumber }) ?? status
    }
    return status
  }

  private static func answered(_ status: Int) -> Verdict {
    switch status {
    // 412: the validator; 416: the file is shorter than what has come.
    case 412, 416: .changed
    case 408, 429, 500...: .later("the server says \(status)")
    default: .failed("the server says \(status)")
    }
  }

  private static func lastWords(_ output: String) -> String {
    let line = output.split(separator: "\n").last { $0.holds("errorCode=") } ?? "no reason was told"
    return String(line.drop { $0 == " " || $0 == "-" || $0 == ">" }.prefix(160))
  }
}

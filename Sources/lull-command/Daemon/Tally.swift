import LullWire

/// A request for several programs, each with one text line: what was reached, or why not.
struct Tally {
  /// True where a program that cannot be managed, or has ended meanwhile, is passed over.
  private let isAll: Bool
  private let isOne: Bool
  private var reached = 0
  private var failed = 0
  /// Why the output cannot be written. The request is carried out for the other programs all the same.
  private var outputFailure: Failure?

  init(_ names: [String], isAll: Bool) throws(Failure) {
    (self.isAll, isOne) = (isAll, names.count == 1)
    if names.isEmpty { try Output.write("no program runs\n") }
  }

  mutating func reached(_ text: String) {
    reached += 1
    guard outputFailure == nil else { return }
    do throws(Failure) { try Output.say(text + "\n") } catch { outputFailure = error }
  }

  /// Throws what ends the request for all of them.
  mutating func failed(_ name: String, _ failure: Failure) throws(Failure) {
    switch failure {
    case .refused(.noSuchProgram, _) where isAll, .refused(.unsupported, _) where isAll: return
    case .refused(.noSuchProgram, let message), .refused(.badValue, let message): complain(message)
    case .refused(_, let message), .failed(let message):
      complain(isOne || message.hasPrefix("\(name) ") ? message : "\(name): \(message)")
    case .noDaemon, .connectionLost, .unreadable, .usage, .command, .script, .output, .mistakes, .status:
      throw failure
    }
  }

  private mutating func complain(_ message: String) {
    failed += 1
    Output.complain(message)
  }

  /// Throws the status to exit with unless nothing has failed: 2 when others were reached. What could not
  /// be written is a failure of the whole.
  func end() throws(Failure) {
    if let outputFailure { throw outputFailure }
    if failed > 0 { throw .status(reached > 0 ? 2 : 1) }
  }
}

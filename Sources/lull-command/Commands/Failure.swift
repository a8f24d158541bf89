import LullChannel
import LullSystem
import LullWire

/// What a call gives, or else the failure with these words and the kernel's.
@discardableResult
func explained<Value: ~Copyable>(
  _ words: @autoclosure () -> String, _ call: @autoclosure () throws(SystemError) -> Value
) throws(Failure) -> Value {
  do { return try call() } catch { throw .failed("\(words()): \(error)") }
}

/// The same, with the kernel's words in brackets, and without the name of the call.
@discardableResult
func explained<Value: ~Copyable>(
  _ words: @autoclosure () -> String, brief call: @autoclosure () throws(SystemError) -> Value
) throws(Failure) -> Value {
  do { return try call() } catch { throw .failed("\(words()) (\(error.message))") }
}

func readable<Value>(_ read: @autoclosure () throws(WireError) -> Value) throws(Failure) -> Value {
  do { return try read() } catch { throw .unreadable(error) }
}

enum Failure: Error, Equatable {
  /// No process listens on the control socket.
  case noDaemon
  case refused(Code, String)
  case connectionLost
  /// The daemon's answer breaks docs/PROTOCOL.md.
  case unreadable(WireError)
  case usage(String)
  case command(String, SystemError)
  case script(String, LostInterpreter)
  case output(SystemError)
  /// The errors in the file of an installed program, each in one text line.
  case errors([String])
  case failed(String)
  /// Not a failure of Lull, but the status to exit with; everything has been printed.
  case status(Int32)

  static func noName(_ text: String) -> Failure {
    let shown = text.count > 32 ? "\(text.prefix(32))..." : text
    return .failed("no program can be called \"\(shown)\"; \"lull status\" lists them")
  }

  static func notExecuted(_ command: String, _ error: SystemError) -> Failure {
    let path = try? CommandPath.find(command, in: Identity.environment("PATH"))
    return path.flatMap(LostInterpreter.init).map { .script(command, $0) } ?? .command(command, error)
  }

  var isOfCommand: Bool {
    switch self {
    case .command, .script: true
    default: false
    }
  }

  /// One text line for people; nil when there is nothing to print.
  var message: String? {
    switch self {
    case .noDaemon:
      "no daemon is running (\"lull run -- COMMAND\" and \"lull daemon start\" start one)"
    case .refused(_, let message), .usage(let message), .failed(let message):
      Printable.text(message)
    case .errors(let lines): lines.joined(separator: "; ")
    case .command(let command, let error) where error.isNoSuchFile:
      Printable.text("\(command): command not found")
    case .command(let command, let error) where error.isNotExecutable:
      Printable.text("\(command): cannot be executed (\(error.message))")
    case .command(let command, let error):
      Printable.text("\(command): \(error.message)")
    case .script(let command, let lost): Printable.text("\(command): \(lost.text)")
    case .unreadable(let error):
      "the daemon's answer cannot be read (\(Printable.text(error.message)))"
    case .connectionLost:
      "the daemon closed the connection; try again, and see \"lull doctor\" if it happens again"
    case .output(let error) where error.isBadDescriptor:
      "the output cannot be written: standard output is closed"
    case .output(let error) where !error.isConnectionLost:
      "the output cannot be written: \(error.message)"
    case .output, .status:
      // A reader that has seen enough is no failure to talk about.
      nil
    }
  }

  var lines: [String] {
    if case .errors(let lines) = self { return lines }
    return message.map { [$0] } ?? []
  }

  /// The exit status: 64 is EX_USAGE; 127 and 126 are the shells' (POSIX, XCU 2.8.2), and so is that of a
  /// process that SIGPIPE ended, for one that ignores it.
  var exitStatus: Int32 {
    switch self {
    case .usage: 64
    case .command(_, let error) where error.isNoSuchFile: 127
    case .command(_, let error) where error.isNotExecutable: 126
    case .script(_, let lost): lost.error.isNoSuchFile ? 127 : 126
    case .output(let error) where error.isConnectionLost: 128 + Signal.pipe
    case .status(let status): status
    case .noDaemon, .refused, .unreadable, .connectionLost, .command, .output, .errors, .failed: 1
    }
  }
}

/// A message between the keeper of a detached program (`lull keep`) and who starts it or joins it, in the
/// grammar of docs/PROTOCOL.md. Nobody else speaks this.
///
/// `lull run --detach` and `lull start` start a keeper with the record of the program and one end of a socket
/// pair, on which it says `running` or `refused`. `lulld` starts it as `lull keep NAME --reason REASON
/// [--line LINE] [--url URL] [--notification ID --action ACTION]`: it reads the record or the file of the
/// program itself, and says by its exit status and the last line of standard error why it could not start it
/// (78, 126 and 127: somebody must mend something).
///
/// `lull attach`, `lull logs --follow` and `lull restart` connect to `keepers/NAME` in the runtime directory,
/// and whoever has started a program, to see that it lives. A new keeper takes the place of an old
/// one of that name: the daemon gives a name to one program at a time. A client for which 256 KiB of output
/// wait is dropped; one for which output still waits 1 s after the program's end gets `refused`, not `ended`.
package enum KeeperMessage {
  package enum Verb: String, CaseIterable, Sendable {
    case attach, watch, resize
    case attached, watching, ended
    case running, refused
  }

  /// The size of a terminal in characters.
  package struct Size: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }
  }

  package struct Start: Equatable, Sendable {
    package var name: String
    package var pid: Int32
    /// What else did not come about, in one text line, such as a log.
    package var message: String?

    package init(name: String, pid: Int32, message: String? = nil) {
      (self.name, self.pid, self.message) = (name, pid, message)
    }
  }

  /// Asks for the program's output and to be its input; answered by `attached`.
  case attach
  /// Asks to be told the program's end, and nothing else; answered by `watching`.
  case watch
  /// The size of the joiner's terminal, from now on.
  case resize(Size)
  /// Comes with the descriptor of the stream of output and input. The program has a terminal of its own, and
  /// takes input.
  case attached(hasTerminal: Bool, takesInput: Bool)
  case watching
  /// The program has ended, and its output has been handed on.
  case ended(ExitStatus)
  case running(Start)
  /// To who started it: the program does not run. To who joined: nothing more is sent. With the status to
  /// exit with, and the reason in one text line.
  case refused(status: Int32, message: String)
}

extension KeeperMessage: DescribedMessage {
  package var verb: Verb {
    switch self {
    case .attach: .attach
    case .watch: .watch
    case .resize: .resize
    case .attached: .attached
    case .watching: .watching
    case .ended: .ended
    case .running: .running
    case .refused: .refused
    }
  }

  package static func blank(_ verb: Verb) -> Self {
    switch verb {
    case .attach: .attach
    case .watch: .watch
    case .resize: .resize(.init(columns: 1, rows: 1))
    case .attached: .attached(hasTerminal: false, takesInput: false)
    case .watching: .watching
    case .ended: .ended(.unknown)
    case .running: .running(.init(name: "", pid: 0))
    case .refused: .refused(status: 1, message: "")
    }
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    switch self {
    case .attach, .watch, .watching: self
    case .resize(let size): .resize(try size.visited(by: &fields))
    case .attached(let hasTerminal, let takesInput):
      .attached(
        hasTerminal: try fields.flag(.terminal, hasTerminal), takesInput: try fields.flag(.input, takesInput))
    case .ended(let status): .ended(try status.visited(by: &fields))
    case .running(let start):
      .running(
        .init(
          name: try fields.needed(.name, .programName, value: start.name),
          pid: try fields.needed(.pid, .number(in: 0...(.max)), value: start.pid),
          message: try fields.optional(.message, .text, value: start.message)))
    case .refused(let status, let message):
      .refused(
        status: try fields.needed(.status, .number(in: 1...255), value: status),
        message: try fields.needed(.message, .text, value: message))
    }
  }
}

extension KeeperMessage.Size: FieldGroup {
  package static var blank: Self { .init(columns: 1, rows: 1) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      columns: try fields.needed(.columns, .number(in: 1...65_535), value: columns),
      rows: try fields.needed(.rows, .number(in: 1...65_535), value: rows))
  }
}

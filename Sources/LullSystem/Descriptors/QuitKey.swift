/// The key `q` at the terminal of standard input, which ends a view that goes on. Ctrl-C and its kind still
/// make signals.
package final class QuitKey {
  private let before: TerminalModes
  private var isTaking = false
  private var room = ReceiveBuffer(capacity: 64)

  /// Nil where standard input is no terminal.
  package init?() {
    guard let before = try? TerminalModes(of: StandardStreams.input) else { return nil }
    self.before = before
  }

  deinit { leave() }

  /// Readable when a key was pressed; nil as long as the keys are not taken.
  package var raw: Int32? { isTaking ? StandardStreams.input : nil }

  /// Takes the keys of a terminal in whose foreground this process is; to be called again when it was
  /// continued. In the background the keys are another process's, and a change of the modes would stop this
  /// one.
  package func take() {
    isTaking = Terminal.isForeground(StandardStreams.input)
    if isTaking { try? before.keyed.set(StandardStreams.input) }
  }

  package func leave() {
    guard isTaking else { return }
    isTaking = false
    if Terminal.isForeground(StandardStreams.input) { try? before.set(StandardStreams.input) }
  }

  /// To be called when there is something to read. The keys of a terminal that is gone are not taken any
  /// more.
  package func isPressed() -> Bool {
    guard isTaking else { return false }
    switch try? StandardStreams.read(StandardStreams.input, into: &room) {
    case .bytes: return room.received.contains { "qQ".utf8.contains($0) }
    case .wouldBlock: return false
    case .endOfStream, nil:
      isTaking = false
      return false
    }
  }
}

import LullSystem

/// A terminal whose keys all arrive as they are, until this value ends.
struct RawTerminal: ~Copyable {
  private let raw: Int32
  private let before: TerminalModes

  /// Nil for a descriptor that is no terminal.
  init?(_ raw: Int32) {
    guard let before = try? TerminalModes(of: raw) else { return nil }
    (self.raw, self.before) = (raw, before)
    enter()
  }

  deinit { restore() }

  func enter() { try? before.uncooked.set(raw) }

  /// A process in the background leaves the modes to its shell, which has set its own.
  func restore() {
    if Terminal.isForeground(raw) { try? before.set(raw) }
  }
}

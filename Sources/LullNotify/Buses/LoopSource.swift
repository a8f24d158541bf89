import LullBus

/// What the loop of lull-notify waits for.
enum LoopSource {
  /// The messages of lulld.
  case link
  case bus(Bus.Kind)
}

import LullBus

enum LoopSource {
  /// The messages of lulld.
  case link
  case bus(Bus.Kind)
}

import LullSystem

/// The input of one who has joined a program, on its way to the keeper.
struct AttachInput {
  private enum State {
    case open
    /// Nothing more comes; what waits is still sent.
    case ended
    /// The keys were pressed, or the terminal is gone.
    case left
  }

  /// The keys that wait for a program that takes none.
  static let maximum = 1 << 16

  /// True for keys: the program must not keep a person from leaving. Other input waits until the program
  /// takes it.
  private let isTyped: Bool
  private var keys: DetachKeys
  private var state = State.open
  private var waiting: ArraySlice<UInt8> = []

  init(_ keys: DetachKeys, isTyped: Bool) { (self.keys, self.isTyped) = (keys, isTyped) }

  var hasRoom: Bool { state == .open && (isTyped || waiting.isEmpty) }
  var isWaiting: Bool { !waiting.isEmpty }
  var isOver: Bool { state == .left || state == .ended && waiting.isEmpty }

  /// Keys that the program does not take are dropped in the end, but never those that leave.
  mutating func take(_ bytes: ArraySlice<UInt8>) {
    guard isTyped else { return waiting += bytes }
    let (passed, leaves) = keys.pass(bytes)
    waiting += passed.prefix(max(0, Self.maximum - waiting.count))
    if leaves { state = .left }
  }

  mutating func end() { state = .ended }

  mutating func leave() { state = .left }

  mutating func send(to raw: Int32) throws(SystemError) {
    while !waiting.isEmpty {
      switch try Socket.write(raw, Array(waiting)) {
      case .sent(let count): waiting = waiting.dropFirst(count)
      case .wouldBlock: return
      // The end of the output says why.
      case .closed: waiting = []
      }
    }
  }
}

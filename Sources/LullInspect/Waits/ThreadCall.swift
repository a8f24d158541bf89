internal import LullSystem

struct ThreadCall: Sendable {
  /// -1 when the thread runs in its program.
  let number: Int
  /// The six arguments, and the stack pointer behind them.
  private let arguments: InlineArray<7, UInt64>

  /// Reads the call of one thread; nil when the thread has ended. EACCES or EPERM: no ptrace right over it.
  init?(of thread: Int32, in files: ThreadFiles, room: inout ShortText) throws(SystemError) {
    guard try unlessGone(try files.read(.call, of: thread, &room)) != nil else { return nil }
    // A thread that has ended and is not reaped yet has no stack pointer and no program counter.
    if room.hasPrefix("-1 0x0 0x0\n") { return nil }
    self.init(room.bytes.span.extracting(0..<room.count))
  }

  /// Reads the call of a frozen thread, with the patience of its files.
  init?(ofFrozen thread: Int32, in files: ThreadFiles, room: inout ShortText) throws(SystemError) {
    try self.init(of: thread, in: files, room: &room)
    var turns = 0
    let deadline = room.hasPrefix("running") ? Clock.monotonic() + files.patience : 0
    while room.hasPrefix("running"), Clock.monotonic() < deadline {
      turns += 1
      if turns < 20 { Process.yield() } else { Process.rest(microseconds: 50) }
      try self.init(of: thread, in: files, room: &room)
    }
  }

  /// Takes "7 0x7ffc 0x1 0xffffffff 0x0 0x0 0x0 0x7ffc 0x7f01" apart; "running" and "-1 ..." are no call.
  init(_ text: Span<UInt8>) {
    var number = text.isEmpty ? -1 : 0
    var index = 0
    while index < text.count, text[index] > UInt8(ascii: " ") {
      let digit = Int(text[index]) - Int(UInt8(ascii: "0"))
      guard digit >= 0, digit <= 9, number < 1 << 40 else {
        number = -1
        break
      }
      number = number * 10 + digit
      index += 1
    }
    var arguments = InlineArray<7, UInt64>(repeating: 0)
    if number >= 0 { Self.parse(text, from: index, into: &arguments) }
    self.number = number
    self.arguments = arguments
  }

  private static func parse(
    _ text: Span<UInt8>, from start: Int, into arguments: inout InlineArray<7, UInt64>
  ) {
    var argument = -1
    for index in start..<text.count {
      switch text[index] {
      case UInt8(ascii: " "):
        argument += 1
        guard argument < 7 else { return }
      case _ where argument < 0: break
      case UInt8(ascii: "x"): arguments[argument] = 0
      case let byte: arguments[argument] = arguments[argument] &* 16 &+ UInt64(hexadecimal(byte))
      }
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: 0
    }
  }

  func argument(_ index: Int) -> UInt64 { arguments[index] }

  func integer(_ index: Int) -> Int32 { Int32(truncatingIfNeeded: arguments[index]) }

  var cutShort: String? { CallWait.cutShort(call: number, arguments.span) }

  var stackPointer: UInt64 { arguments[6] }

  func hasArguments(of other: ThreadCall) -> Bool {
    for index in 0..<6 where arguments[index] != other.arguments[index] { return false }
    return true
  }
}

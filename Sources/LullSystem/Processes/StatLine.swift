internal import Glibc

/// The line of `/proc/PID/stat`. The name in it can hold spaces and brackets, so counting begins behind the
/// last bracket.
struct StatLine {
  private let text: [UInt8]
  /// The place of the third field, the state.
  private let start: Int

  init?(_ text: [UInt8]) {
    guard let end = text.lastIndex(of: UInt8(ascii: ")")), end + 2 < text.count,
      text[end + 1] == UInt8(ascii: " ")
    else { return nil }
    (self.text, start) = (text, end + 2)
  }

  /// `name` is `PID`, or `PID/task/TID`.
  init(of name: String) throws(SystemError) {
    let file = "/proc/\(name)/stat"
    guard let line = StatLine(try Files.read(file, limit: 1 << 16)) else {
      throw SystemError(code: EINVAL, call: file)
    }
    self = line
  }

  /// A letter, as proc(5) lists them.
  var state: UInt8 { text[start] }

  var isStopped: Bool { state == UInt8(ascii: "T") }

  var hasEnded: Bool { state == UInt8(ascii: "Z") || state == UInt8(ascii: "X") }

  /// The flags are those of include/linux/sched.h (PF_EXITING and so on).
  func hasFlag(_ flags: UInt64) -> Bool { (number(9) ?? 0) & flags != 0 }

  /// Fields are counted from 1, as in proc(5).
  func number(_ field: Int) -> UInt64? {
    var rest = text[start...]
    for _ in 3..<field {
      guard let end = rest.firstIndex(of: UInt8(ascii: " ")) else { return nil }
      rest = rest[(end + 1)...]
    }
    let digits = rest.prefix { $0 > UInt8(ascii: " ") }
    return UInt64(String(decoding: digits, as: UTF8.self))
  }
}

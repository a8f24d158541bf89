/// The keys that leave a program that was joined, one after the other.
struct DetachKeys {
  /// Ctrl-].
  static let usual = DetachKeys(keys: [0x1D])

  private let keys: [UInt8]
  /// The number of keys of the sequence that were pressed last, and have not been passed on.
  private var pressed = 0

  private init(keys: [UInt8]) { self.keys = keys }

  /// Reads `ctrl-X` and single characters, separated by commas.
  init(_ text: String) throws(Failure) {
    var keys: [UInt8] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let key = Self.key(String(word)) else {
        throw .usage("--detach-keys \(text): give keys such as ctrl-] or ctrl-p,ctrl-q")
      }
      keys.append(key)
    }
    self.keys = keys
  }

  private static func key(_ word: String) -> UInt8? {
    let lower = word.lowercased()
    let name = lower.hasPrefix("ctrl-") ? lower.dropFirst(5) : word[...]
    guard name.utf8.count == 1, let byte = name.utf8.first, byte > 0x20, byte < 0x7F else { return nil }
    guard lower.hasPrefix("ctrl-") else { return byte }
    let upper = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte - 0x20 : byte
    guard (UInt8(ascii: "@")...UInt8(ascii: "_")).contains(upper) else { return nil }
    return upper & 0x1F
  }

  var text: String {
    keys.map { key in
      key < 0x20 ? "Ctrl-\(Character(UnicodeScalar(key | 0x40)))" : "\(Character(UnicodeScalar(key)))"
    }.joined(separator: " ")
  }

  /// The keys that are for the program, and whether the last of them were those that leave. A sequence that
  /// is broken off is passed on.
  mutating func pass(_ typed: ArraySlice<UInt8>) -> (keys: [UInt8], leaves: Bool) {
    var passed: [UInt8] = []
    for key in typed {
      if key != keys[pressed] {
        passed += keys[..<pressed]
        pressed = 0
      }
      guard key == keys[pressed] else {
        passed.append(key)
        continue
      }
      pressed += 1
      if pressed == keys.count {
        pressed = 0
        return (passed, true)
      }
    }
    return (passed, false)
  }
}

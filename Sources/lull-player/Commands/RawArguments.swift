import LullPlayer
import LullSystem

/// The arguments of the process as text.
///
/// A name that is not UTF-8 becomes its `file:` URL: as text of Swift it would lose its bytes.
enum RawArguments {
  static func texts() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { place in
      guard let start = unsafe CommandLine.unsafeArgv[place] else { return nil }
      let count = (0...).first { unsafe start[$0] == 0 } ?? 0
      return text((0..<count).map { unsafe UInt8(bitPattern: start[$0]) })
    }
  }

  static func text(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return FileURL.text(path: (try? Files.absolutePath(bytes)) ?? bytes)
  }
}

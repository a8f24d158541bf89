/// The names of sound devices, as ALSA's configuration has them: 1 to 128 bytes of `[A-Za-z0-9_.:,=+@-]`. A
/// name of ALSA may hold a configuration of its own, which could write to files: so devices that take files,
/// and all quotes, are refused.
package enum DeviceName {
  package static let usual = "default"

  package static func isValid(_ text: String) -> Bool {
    let writesFiles = ["file:", "tee:"].contains { text.hasPrefix($0) }
    // The sound of Lull's own device would come back as a program's, without end. A sound server may have a
    // device of that name.
    let isLull =
      !text.hasPrefix("pulse:")
      && text.split(separator: ":").contains { $0 == "lull" || $0.hasPrefix("lull,") }
    return (1...Limits.maximumDevice).contains(text.utf8.count) && text.utf8.allSatisfy(isPart)
      && !writesFiles && !isLull
  }

  /// The device that is asked for by name; nil: the usual one.
  static func wanted(_ name: String) -> String? { name == usual ? nil : name }

  package static let expected =
    "the name of a device, \(usual) for the usual one, and not lull; at most \(Limits.maximumDevice) "
    + "letters, digits, or _.:,=+@-"

  private static func isPart(_ byte: UInt8) -> Bool {
    Grammar.isLetter(byte) || Grammar.isDigit(byte) || "_.:,=+@-".utf8.contains(byte)
  }
}

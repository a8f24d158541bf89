import LullSystem

/// The ports of `--wake-on` and `--ignore`.
enum RunPorts {
  /// The most ports: more would not fit a text line of the protocol.
  private static let most = 256

  /// The ports of both options, each once.
  ///
  /// Throws `usage` for a word that is no port, and for a port that both options name.
  static func read(wakeOn: [String], ignore: [String]) throws(Failure) -> ([UInt16], [UInt16]) {
    let wakeOn = try ports(wakeOn, "--wake-on")
    let ignored = try ports(ignore, "--ignore")
    for (word, port) in zip(ignored.words, ignored.ports) where wakeOn.ports.contains(port) {
      throw .usage("--ignore \(word): --wake-on names port \(port) too; a port is either watched or ignored")
    }
    return (wakeOn.ports, ignored.ports)
  }

  private static func ports(
    _ words: [String], _ option: String
  ) throws(Failure) -> (words: [String], ports: [UInt16]) {
    var result: (words: [String], ports: [UInt16]) = ([], [])
    for word in words {
      guard let port = port(word) else {
        throw .usage(
          "\(option) \(word): no such port; give a number from 1 to 65535 or a service name such as sip")
      }
      guard !result.ports.contains(port) else { continue }
      result.words.append(word)
      result.ports.append(port)
    }
    guard result.ports.count <= most else { throw .usage("\(option): at most \(most) ports can be given") }
    return result
  }

  /// The port that a word names; nil when there is none.
  static func port(_ word: String) -> UInt16? {
    let isNumber = word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber else { return Services.port(named: word) }
    return UInt16(word).flatMap { $0 > 0 ? $0 : nil }
  }
}

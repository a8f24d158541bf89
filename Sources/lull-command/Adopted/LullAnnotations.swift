import LullChannel
import LullWire

/// The annotations of a container, or its labels, that say how it lives: the options of `lull run` behind
/// "lull.".
enum LullAnnotations {
  private static let prefix = "lull."
  private static let keys: [Key] = [
    .modes, .keepAlive, .linger, .timers, .ignore, .ignorePeer, .answerProbe,
  ]
  static let all = keys.map { prefix + $0.option.dropFirst(2) }
  static let others = all.dropFirst()

  /// Nil where none is Lull's. Throws `usage` for a word or a value that is wrong.
  static func settings(in annotations: [String: String]) throws(Failure) -> ProgramSettings? {
    let own = annotations.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }
    guard !own.isEmpty else { return nil }
    var given = GivenOptions()
    for (name, value) in own {
      guard let option = option(name) else {
        throw .usage("\(name): no such annotation; there are \(all.joined(separator: ", "))")
      }
      // One annotation has all values of an option that may stand several times.
      let isList = option.kind == .list
      let values = isList ? value.split { ", ".contains($0) }.map(String.init) : [value]
      for value in values { given.add(option, value) }
    }
    guard own.contains(where: { $0.key == all[0] }) else {
      throw .usage("\(own[0].key): only beside \(all[0]), such as \(all[0]): voip")
    }
    do throws(Failure) { return try given.request(name: nil).settings } catch {
      let message = error.message ?? "cannot be read"
      throw .usage(message.hasPrefix("--") ? prefix + message.dropFirst(2) : message)
    }
  }

  private static func option(_ name: String) -> InstalledOption? {
    all.contains(name) ? InstalledOption(word: "--" + name.dropFirst(prefix.count)) : nil
  }
}

import LullSystem

/// A command as the request `command` hands it over: the arguments, then the environment, each ended by NUL.
struct CommandBlock: Equatable {
  /// The strings, one behind the other.
  let bytes: [UInt8]
  /// The number of strings that are arguments.
  let arguments: Int

  init(arguments: [[UInt8]], environment: [[UInt8]]) {
    bytes = Array((arguments + environment).map { $0 + [0] }.joined())
    self.arguments = arguments.count
  }

  /// An environment in which the entries replace those with the same name.
  static func environment(_ own: [[UInt8]], adding entries: [[UInt8]]) -> [[UInt8]] {
    let names = entries.map { $0.prefix { $0 != UInt8(ascii: "=") } }
    return own.filter { !names.contains($0.prefix { $0 != UInt8(ascii: "=") }) } + entries
  }

  /// The command that stands at the end of this process's own arguments, with its environment.
  ///
  /// The bytes are read from the kernel, because `words` has lost bytes that are not UTF-8.
  static func ofThisProcess(words: [String], adding entries: [String] = []) throws(Failure) -> CommandBlock {
    let count = words.first == "--" ? words.count - 1 : words.count
    guard count > 0 else { throw .usage("run: no command; write \"lull run -- COMMAND\"") }
    let limit = 16 << 20
    let own: [UInt8]
    do {
      own = try Files.read("/proc/self/cmdline", limit: limit)
    } catch {
      throw .failed("cannot read the command line: \(error)")
    }
    let all = own.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    guard all.count > count else { throw .failed("the command line is longer than \(limit) bytes") }
    return CommandBlock(
      arguments: all.suffix(count).map(Array.init),
      environment: environment(Identity.allEnvironment(), adding: entries.map { Array($0.utf8) }))
  }
}

import LullSystem
import LullWire

struct CommandBlock: Equatable {
  let arguments: [[UInt8]]
  /// Entries `NAME=value`.
  var environment: [[UInt8]]

  init(arguments: [[UInt8]], environment: [[UInt8]]) {
    (self.arguments, self.environment) = (arguments, environment)
  }

  var name: String { String(decoding: arguments.first ?? [], as: UTF8.self) }

  /// The entries replace those with the same name.
  static func environment(_ own: [[UInt8]], adding entries: [[UInt8]]) -> [[UInt8]] {
    let names = entries.map { $0.prefix { $0 != UInt8(ascii: "=") } }
    return own.filter { !names.contains($0.prefix { $0 != UInt8(ascii: "=") }) } + entries
  }

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
    // The reason of a launch is no other program's.
    let prefix = Array(Launch.variablePrefix.utf8)
    let inherited = Identity.allEnvironment().filter { !$0.starts(with: prefix) }
    return CommandBlock(
      arguments: all.suffix(count).map(Array.init),
      environment: environment(inherited, adding: entries.map { Array($0.utf8) }))
  }

  /// Each word is ended by NUL, as the request `command` hands them over.
  func words() throws(Failure) -> DescriptorBox {
    do {
      let bytes = Array(arguments.map { $0 + [0] }.joined())
      return DescriptorBox(try Files.memoryFile(name: "lull-command", bytes))
    } catch {
      throw .failed("cannot hand over the command: \(error)")
    }
  }
}

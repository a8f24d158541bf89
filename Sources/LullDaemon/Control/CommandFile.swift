import LullSystem
import LullWire

struct CommandError: Error { let reply: Reply }

extension CommandBlock {
  /// The limit of the arguments and the environment in bytes, with a pointer to each string. Linux takes as
  /// many under the usual stack of 8 MiB (execve(2), "limits on size of arguments and environment").
  private static let maximumSize = 2 << 20

  /// Checks that the file that `command` brought can be read at its `run`. Only a file in memory can: any
  /// other file could make the loop wait.
  static func check(_ file: DescriptorBox) throws(CommandError) {
    do { try Files.memoryFileSize(file.raw, limit: maximumSize) } catch { throw unreadable(error) }
  }

  static func read(_ file: DescriptorBox, arguments: Int) throws(CommandError) -> CommandBlock {
    let bytes: [UInt8]
    do { bytes = try Files.readMemoryFile(file.raw, limit: maximumSize) } catch { throw unreadable(error) }
    let block = CommandBlock(bytes, argumentCount: arguments)
    guard arguments >= 1, arguments <= block.count, !block[0].isEmpty else {
      throw refusal("arguments=\(arguments): the file holds \(block.count) strings")
    }
    guard block.kernelSize <= maximumSize else {
      throw refusal(
        "the command is too long: its \(block.count) strings have \(block.kernelSize) bytes with a pointer "
          + "to each; at most \(maximumSize)")
    }
    return block
  }

  private static func unreadable(_ error: SystemError) -> CommandError {
    let text = "the command cannot be read from its descriptor: \(error)"
    return refusal("\(text); send a memfd of at most \(maximumSize) bytes")
  }

  private static func refusal(_ text: String) -> CommandError {
    CommandError(reply: .error(code: .badValue, message: text))
  }
}

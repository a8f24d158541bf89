import LullSystem
import LullWire

/// What has come for the next `run` or `session`. Of a command only the descriptor is kept, so that however
/// long it is, it costs no memory until it runs.
struct Staged {
  /// How long it is kept, in nanoseconds. A descriptor may, through others, hold the very connection on which
  /// it came, which would then never end.
  static let time: Int64 = 30_000_000_000

  var standard: [DescriptorBox?] = [nil, nil, nil]
  var directory: DescriptorBox?
  var command: (file: DescriptorBox, arguments: Int)?
  var ring: DescriptorBox?
  var bell: (DescriptorBox, inode: UInt64?)?
  /// When the last of it came, on CLOCK_BOOTTIME; nil when there is nothing.
  var since: Int64?

  var isEmpty: Bool {
    standard.allSatisfy { $0 == nil } && directory == nil && command == nil && ring == nil && bell == nil
  }
}

/// Why a command cannot be read from its descriptor.
struct CommandError: Error { let reply: Reply }

extension CommandBlock {
  /// The bytes of the arguments and the environment, with a pointer to each string: what Linux takes under
  /// the usual stack of 8 MiB (execve(2), "limits on size of arguments and environment").
  static let maximumSize = 2 << 20

  /// Looks whether what `command` brought can be read at its `run`. Only a file in memory is: any other could
  /// make the loop wait.
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

extension Daemon {
  func stage(_ client: Client, _ descriptor: DescriptorBox?, standard number: Int32) -> Reply {
    stage(client, descriptor) { descriptor in
      guard client.staged.standard.indices.contains(Int(number)) else {
        return .error(code: .badValue, message: "number=\(number): use 0, 1 or 2")
      }
      client.staged.standard[Int(number)] = descriptor
      return .ok
    }
  }

  func stage(_ client: Client, directory: DescriptorBox?) -> Reply {
    stage(client, directory) { directory in
      client.staged.directory = directory
      return .ok
    }
  }

  func stage(_ client: Client, command: DescriptorBox?, arguments: Int) -> Reply {
    stage(client, command) { command in
      do throws(CommandError) {
        try CommandBlock.check(command)
      } catch {
        return error.reply
      }
      client.staged.command = (command, arguments)
      return .ok
    }
  }

  func stage(_ client: Client, ring: DescriptorBox?) -> Reply {
    stage(client, ring) { ring in
      client.staged.ring = ring
      return .ok
    }
  }

  func stage(_ client: Client, bell: DescriptorBox?, inode: UInt64?) -> Reply {
    stage(client, bell) { bell in
      client.staged.bell = (bell, inode)
      return .ok
    }
  }

  private func stage(_ client: Client, _ descriptor: DescriptorBox?, _ keep: (DescriptorBox) -> Reply)
    -> Reply
  {
    guard let descriptor else { return missingDescriptor }
    // A connection that the daemon itself held open would never end.
    guard listenerName.isEmpty || (try? Socket.peerAddress(descriptor.raw))?.description != listenerName
    else {
      return .error(code: .badValue, message: "a connection to this daemon cannot be handed to it")
    }
    let reply = keep(descriptor)
    staging.removeAll { $0 === client }
    client.staged.since = client.staged.isEmpty ? nil : Clock.boottime()
    if !client.staged.isEmpty { staging.append(client) }
    return reply
  }

  var missingDescriptor: Reply {
    .error(code: .missingField, message: "send the descriptor with the line that names it (SCM_RIGHTS)")
  }

  /// Takes what was staged; nothing of it is left.
  func takeStaged(_ client: Client) -> Staged {
    defer { dropStaged(client) }
    return client.staged
  }

  func dropStaged(_ client: Client) {
    guard client.staged.since != nil else { return }
    client.staged = Staged()
    staging.removeAll { $0 === client }
  }

  /// When the oldest of what was staged is dropped.
  var nextStagedEnd: Int64? { staging.first?.staged.since.map { $0 + Staged.time / options.clockRate } }

  func dropOldStaged() {
    while let client = staging.first, let end = nextStagedEnd, end <= Clock.boottime() { dropStaged(client) }
  }
}

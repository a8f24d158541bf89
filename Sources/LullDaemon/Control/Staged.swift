import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The descriptors that have come for the next `run` or `session`. Of a command only the descriptor is kept,
/// so that a long command costs no memory until it runs.
struct Staged {
  var command: (file: DescriptorBox, arguments: Int)?
  var ring: DescriptorBox?
  var doorbell: (DescriptorBox, inode: UInt64?)?
  /// On CLOCK_BOOTTIME; nil when there is none.
  var since: Int64?

  var isEmpty: Bool {
    command == nil && ring == nil && doorbell == nil
  }
}

extension Staged {
  mutating func keep(_ descriptor: DescriptorBox, arguments: Int) -> Reply {
    do throws(CommandError) {
      try CommandBlock.check(descriptor)
    } catch {
      return error.reply
    }
    command = (descriptor, arguments)
    return .ok
  }

  /// A ring is kept if no side can change its size under the other.
  mutating func keep(ring descriptor: DescriptorBox) -> Reply {
    guard (try? SharedMemory.isSealed(descriptor.raw)) == true else {
      return .error(.badValue, .init(.ringUnsealed))
    }
    ring = descriptor
    return .ok
  }

  /// `inode` is that of the other end.
  mutating func keep(doorbell descriptor: DescriptorBox, inode: UInt64?) -> Reply {
    guard (try? FileStatus.of(descriptor.raw).shape) == .socket else {
      return .error(.badValue, .init(.doorbellNoSocket))
    }
    doorbell = (descriptor, inode)
    return .ok
  }
}

final class StagingArea {
  /// In nanoseconds.
  private let time: Int64
  /// Oldest first.
  private var clients: [Client] = []

  init(_ services: SharedServices) {
    time = services.policy.stagingTime.nanoseconds / services.options.clockRate
  }

  func stage(_ client: Client, _ keep: (inout Staged) -> Reply) -> Reply {
    let reply = keep(&client.staged)
    note(client)
    return reply
  }

  func take(_ client: Client) -> Staged {
    defer { drop(client) }
    return client.staged
  }

  func takeSound(_ client: Client) -> (ring: DescriptorBox, doorbell: DescriptorBox, inode: UInt64?)? {
    guard let ring = client.staged.ring, let (doorbell, inode) = client.staged.doorbell else { return nil }
    (client.staged.ring, client.staged.doorbell) = (nil, nil)
    if client.staged.isEmpty { drop(client) }
    return (ring, doorbell, inode)
  }

  func drop(_ client: Client) {
    guard client.staged.since != nil else { return }
    client.staged = Staged()
    clients.removeAll { $0 === client }
  }

  var deadline: Int64? { clients.first?.staged.since.map { $0 + time } }

  func dropOld(at now: Int64) {
    while let client = clients.first, let end = deadline, end <= now { drop(client) }
  }

  private func note(_ client: Client) {
    clients.removeAll { $0 === client }
    client.staged.since = client.staged.isEmpty ? nil : Clock.boottime()
    if !client.staged.isEmpty { clients.append(client) }
  }
}

extension Reply {
  /// For a client that has left.
  static var unheard: Reply { .error(.refused, .init(.clientLeft)) }

  static var missingDescriptor: Reply { .error(.missingField, .init(.needsDescriptor)) }
}

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
      throw refusal(.init(.argumentsMissing, number: arguments, count: block.count))
    }
    guard block.kernelSize <= maximumSize else {
      throw refusal(
        .init(
          .commandTooLong, count: block.count, limit: Double(maximumSize), bytes: block.kernelSize))
    }
    return block
  }

  private static func unreadable(_ error: SystemError) -> CommandError {
    refusal(.init(.commandUnreadable, limit: Double(maximumSize), error: "\(error)"))
  }

  private static func refusal(_ why: Explanation) -> CommandError {
    CommandError(reply: .error(.badValue, why))
  }
}

import LullChannel
import LullSystem
import LullWire

struct LogFollower: ~Copyable {
  private let name: String
  private let watch: FileWatch
  private let keeper: KeeperConnection?

  init(_ name: String, _ path: String) throws(Failure) {
    let watch = try Self.watch(name, path)
    let keeper = try KeeperConnection(name)
    keeper?.send(.watch)
    (self.name, self.keeper) = (name, keeper)
    self.watch = watch
  }

  private static func watch(_ name: String, _ path: String) throws(Failure) -> FileWatch {
    do throws(SystemError) {
      let watch = try FileWatch()
      try watch.add(path, .written)
      if let slash = path.lastIndex(of: "/") { try watch.add(String(path[...slash]), .names) }
      return watch
    } catch {
      guard !error.isNoSuchFile else { throw DetachedPrograms.unknown(name) }
      throw .failed("\(path): cannot be watched (\(error.message))")
    }
  }

  mutating func follow(_ log: inout LogReader, _ plain: inout PlainText?) throws(Failure) {
    while true {
      let end = try keeper.map { (keeper) throws(Failure) in try keeper.end() } ?? KeeperEnd.hungUp
      let bytes = try more(of: &log)
      try Output.write((plain?.text(ofLog: bytes[...]) ?? bytes)[...])
      if let end {
        try Output.write((plain?.end() ?? [])[...])
        return tell(end)
      }
      try wait()
    }
  }

  private func more(of log: inout LogReader) throws(Failure) -> [UInt8] {
    let words = "\(log.path): cannot be read"
    try explained(words, brief: watch.drain())
    let bytes = try explained(words, brief: log.next())
    // The log may be a new file now, to which something was written meanwhile.
    try? watch.add(log.path, .written)
    return try bytes + explained(words, brief: log.next())
  }

  private func tell(_ end: KeeperEnd) {
    switch end {
    case .ended(let status): Output.complain("\(name) has ended (\(status.words))")
    case .refused(let message): Output.complain(message)
    case .hungUp: Output.complain("\(name) does not run")
    }
  }

  private func wait() throws(Failure) {
    var entries = [PollEntry(watch.raw, .readable)]
    if let keeper { entries.append(.init(keeper.channel.socket.raw, .readable)) }
    try explained("cannot wait for \(name)", Socket.pollMany(&entries, timeoutMilliseconds: -1))
  }
}

/// A log of a detached program, from its newest part on. A log that goes on in a new file is read to its end
/// first.
struct LogReader {
  /// The most that is read of what was there before.
  private static let maximum = 2 * ProgramLog.limit
  private static let piece = 1 << 16

  let path: String
  private var file: DescriptorBox
  private var offset: Int64 = 0
  private var isAtStart = true
  /// True when what was written first is not shown any more.
  private(set) var isCut = false

  /// Nil when there is no log. EINVAL: the file is no regular one.
  init?(_ path: String) throws(SystemError) {
    self.path = path
    do throws(SystemError) {
      guard let file = try Files.openRegular(Array(path.utf8)) else { throw SystemError.invalid(path) }
      self.file = file
    } catch {
      guard error.isNoSuchFile else { throw error }
      return nil
    }
  }

  mutating func next() throws(SystemError) -> [UInt8] {
    guard isAtStart else { return try added() }
    isAtStart = false
    let size = try Files.size(file.raw)
    offset = Int64(max(0, size - Self.maximum))
    let older = try older()
    isCut = offset > 0 || !older.isEmpty
    return try older + added()
  }

  /// Gives nothing where that file is the one that is open: it was renamed meanwhile.
  private func older() throws(SystemError) -> [UInt8] {
    let path = ProgramLog.older(path)
    guard let identity = Files.identity(path), try identity != .of(file.raw) else { return [] }
    return (try? Files.read(path, limit: Self.maximum)) ?? []
  }

  private mutating func added() throws(SystemError) -> [UInt8] {
    var bytes = try rest()
    // The race: the last bytes may have been written between the read and the renaming.
    while let identity = Files.identity(path), try identity != .of(file.raw) {
      bytes += try rest()
      guard let next = try? Files.openRegular(Array(path.utf8)) else { break }
      (file, offset) = (next, 0)
      bytes += try rest()
    }
    return bytes
  }

  private mutating func rest() throws(SystemError) -> [UInt8] {
    if try Int64(Files.size(file.raw)) < offset { offset = 0 }
    var bytes: [UInt8] = []
    while true {
      let more = try Files.read(file.raw, at: offset, count: Self.piece)
      offset += Int64(more.count)
      bytes += more
      if more.count < Self.piece { return bytes }
    }
  }

  /// The rest behind the last LF counts as a line.
  static func last(_ count: Int, linesOf bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard count > 0 else { return [] }
    var left = count
    for place in bytes.indices.dropLast().reversed() where bytes[place] == UInt8(ascii: "\n") {
      left -= 1
      if left == 0 { return bytes[(place + 1)...] }
    }
    return bytes
  }
}

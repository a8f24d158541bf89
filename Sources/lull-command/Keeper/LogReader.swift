import LullSystem

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

  /// At first the bytes of both files.
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

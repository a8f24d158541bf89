import LullChannel
import LullSystem

/// The output of a detached program in a file. A bounded log goes on in a second file when it is full, and
/// the oldest output is dropped. The newest is never dropped for the sake of older output.
///
/// A full disk changes nothing but the log: the oldest lines make room in a bounded one. They are counted,
/// and so is what did not fit; both counts stand in the log as soon as there is room again.
final class ProgramLog {
  /// The size of each of the two files of a bounded log.
  static let limit = 1 << 20

  private let path: [UInt8]
  /// The folders that are made for it, from above; nobody else can write in them.
  private let folders: [String]
  private let isBounded: Bool
  private var file: DescriptorBox?
  private var size = 0
  /// The place in the file where the output of this life begins; nil when it began in another file.
  private var beginning: Int? = 0
  private var lost: (bytes: Int, reason: String)?
  /// The lines that have made room, and of which the log does not tell yet.
  private var dropped = 0
  /// True when what was written last has not ended its line.
  private var isInLine = false

  static func older(_ path: String) -> String { path + ".1" }

  convenience init(bounded path: String, in folders: [String] = []) {
    self.init(Array(path.utf8), isBounded: true, folders)
  }

  convenience init(appendingTo path: [UInt8]) { self.init(path, isBounded: false, []) }

  private init(_ path: [UInt8], isBounded: Bool, _ folders: [String]) {
    (self.path, self.isBounded, self.folders) = (path, isBounded, folders)
  }

  func open() throws(SystemError) {
    for folder in folders { try StateDirectory.ensure(folder) }
    let opened = DescriptorBox(try isBounded ? Files.openOwnAtEnd(text) : Files.openAtEnd(path, mode: 0o666))
    size = try Files.size(opened.raw)
    file = opened
  }

  /// A log of Lull's own has a line for the life; a file of the user's has nothing but output.
  func begin(pid: Int32, at unix: Double) {
    if isBounded {
      let isInLine = !tail(1).isEmpty
      append(((isInLine ? [UInt8(ascii: "\n")] : []) + LifeMark.line(pid: pid, at: unix))[...])
    }
    beginning = size
  }

  /// It never fails and never waits.
  func append(_ bytes: ArraySlice<UInt8>) {
    // Somebody may have removed the file: what is written to it then, nobody reads.
    if isBounded, let file, (try? Files.hasName(file.raw)) == false { beginFile() }
    if isBounded, size > 0, size + bytes.count > Self.limit { turnOver() }
    if let lost {
      let note = Array("[lull: \(lost.bytes) bytes of output were lost: \(lost.reason)]\n".utf8)
      guard (try? write(note[...]))?.isEmpty == true else { return lose(bytes.count, lost.reason) }
      self.lost = nil
    }
    tellDropped()
    var rest = bytes
    do throws(SystemError) {
      rest = try write(rest)
      if !rest.isEmpty { lose(rest.count, "the file takes no more") }
    } catch {
      lose(rest.count, error.message)
    }
    tellDropped()
  }

  private func tellDropped() {
    let count = dropped
    guard count > 0, !isInLine else { return }
    let lines = count == 1 ? "1 older line was" : "\(count) older lines were"
    let note = Array("[lull: \(lines) dropped: there was no room for them]\n".utf8)
    // Its own bytes may cost more of them.
    if (try? write(note[...]))?.isEmpty == true { dropped -= count }
  }

  /// At most so many bytes from the end of the output of this life, from the beginning of a text line on;
  /// none when the log cannot be read.
  func tail(_ count: Int) -> ArraySlice<UInt8> {
    guard let file = try? Files.openRegular(path), let size = try? Files.size(file.raw) else { return [] }
    // Somebody may have emptied the file.
    if size < self.beginning ?? 0 { self.beginning = nil }
    let beginning = self.beginning ?? 0
    let start = max(beginning, size - count)
    guard let bytes = try? Files.read(file.raw, at: Int64(start), count: count) else { return [] }
    guard start > beginning, let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return bytes[...] }
    return bytes[(end + 1)...]
  }

  /// True when so many bytes from the end have all the output of this life.
  func isWhole(in count: Int) -> Bool { beginning.map { size - $0 <= count } ?? false }

  private func lose(_ count: Int, _ reason: String) { lost = ((lost?.bytes ?? 0) + count, reason) }

  /// Returns what the file does not take, as a pipe may. On a full disk older output makes room.
  private func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> ArraySlice<UInt8> {
    if file == nil { try open() }
    guard let file else { return bytes }
    var rest = bytes
    while !rest.isEmpty {
      do throws(SystemError) {
        guard case .sent(let count) = try StandardStreams.writePart(rest, to: file.raw) else { return rest }
        rest = rest.dropFirst(count)
        size += count
        isInLine = rest.isEmpty ? bytes.last != UInt8(ascii: "\n") : true
      } catch {
        guard error.isNoSpace, isBounded, makeRoom() else { throw error }
      }
    }
    return rest
  }

  /// Drops the older file, or else what this one holds; false when there is nothing left to drop.
  func makeRoom() -> Bool {
    let older = Self.older(text)
    var lines = Self.lines(older)
    if (try? Files.unlink(older)) == nil {
      lines = Self.lines(text)
      guard let file, size > 0, (try? Files.truncate(file.raw)) != nil else { return false }
      (size, beginning) = (0, nil)
    }
    dropped += lines
    return true
  }

  private static func lines(_ path: String) -> Int {
    let (bytes, end) = ((try? Files.read(path, limit: 2 * limit)) ?? [], UInt8(ascii: "\n"))
    return bytes.count(where: { $0 == end }) + (bytes.isEmpty || bytes.last == end ? 0 : 1)
  }

  /// When the full file cannot take the place of the older one, it is emptied.
  private func turnOver() {
    do throws(SystemError) {
      try Files.rename(text, to: Self.older(text))
      beginFile()
    } catch {
      if error.isNoSuchFile { return beginFile() }
      if let file, (try? Files.truncate(file.raw)) != nil { (size, beginning) = (0, nil) }
    }
  }

  private func beginFile() { (file, size, beginning) = (nil, 0, nil) }

  private var text: String { String(decoding: path, as: UTF8.self) }
}

/// The line by which the log of a detached program marks the start of a life:
/// `--- started 2026-01-02 23:41:02, pid 4711 ---`.
enum LifeMark {
  private static let first = "--- started ", last = " ---"

  static func line(pid: Int32, at unix: Double) -> [UInt8] {
    let moment = LocalTime(unix: unix).withoutFraction
    return Array("\(first)\(moment), pid \(pid)\(last)\n".utf8)
  }

  static func moment(_ line: ArraySlice<UInt8>) -> Double? {
    guard line.starts(with: first.utf8) else { return nil }
    let words = String(decoding: line, as: UTF8.self).dropFirst(first.count).split(separator: " ")
    guard words.count > 1 else { return nil }
    return LocalTime(day: String(words[0]))?.at(String(words[1].prefix { $0 != "," }))?.unix
  }

  /// A log, cut at each start: what stands before the first one, and then each life with its line.
  static func parts(of log: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var (parts, begin): ([ArraySlice<UInt8>], Int) = ([], log.startIndex)
    for line in log.split(separator: UInt8(ascii: "\n")) where moment(line) != nil {
      parts.append(log[begin..<line.startIndex])
      begin = line.startIndex
    }
    return parts + [log[begin...]]
  }

  /// The lives in a log that went on at a moment, in seconds since 1970, or began after it.
  static func lives(since unix: Double, in log: [UInt8]) -> ArraySlice<UInt8> {
    var begin = log.startIndex
    for line in log.split(separator: UInt8(ascii: "\n")) {
      if let moment = moment(line), moment <= unix { begin = line.startIndex }
    }
    return log[begin...]
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
    guard let opened = try Files.ifThere(Files.openRegular(Array(path.utf8))) else { return nil }
    guard let opened else { throw .invalid(path) }
    file = opened
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

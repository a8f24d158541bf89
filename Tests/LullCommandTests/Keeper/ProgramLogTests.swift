import LullSystem
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct ProgramLogTests {
  private let folder: TemporaryDirectory
  private let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = "\(folder.path)/phone.log"
  }

  private func append(_ text: String, to log: ProgramLog) { log.append(Array(text.utf8)[...]) }

  private func text(_ path: String) throws -> String {
    String(decoding: try Files.read(path, limit: 16 << 20), as: UTF8.self)
  }

  @Test func `a log goes on where it ended`() throws {
    for part in ["one\n", "two\n"] {
      let log = ProgramLog(bounded: path)
      try log.open()
      append(part, to: log)
    }
    #expect(try text(path) == "one\ntwo\n")
  }

  @Test func `a full log goes on in a new file, and the oldest is dropped`() throws {
    let log = ProgramLog(bounded: path)
    let line = String(repeating: "x", count: 9_990)
    for number in 0..<320 { append("\(line) \(number + 100_000)\n", to: log) }
    #expect(try text(path).hasSuffix("100319\n"))
    let all = try text(ProgramLog.older(path)) + text(path)
    #expect(all.utf8.count <= 2 * ProgramLog.limit)
    #expect(all.utf8.count > ProgramLog.limit)
    let numbers = all.split(separator: "\n").compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    #expect(numbers == Array((numbers.first ?? 0)...100_319))
  }

  @Test func `a file of the user's only grows`() throws {
    let log = ProgramLog(appendingTo: Array(path.utf8))
    let chunk = [UInt8](repeating: 1, count: 60_000)
    for _ in 0..<20 { log.append(chunk[...]) }
    #expect(try Files.read(path, limit: 16 << 20).count == 1_200_000)
    #expect(!Files.exists(ProgramLog.older(path)))
  }

  @Test func `a log that was removed comes back, with its folder`() throws {
    let folders = ["\(folder.path)/state", "\(folder.path)/state/logs"]
    let path = "\(folders[1])/phone.log"
    let log = ProgramLog(bounded: path, in: folders)
    append("one\n", to: log)
    try Files.unlink(path)
    append("two\n", to: log)
    #expect(try text(path) == "two\n")
    #expect(try ConnectedChild(["rm", "-r", folders[0]]).end() == .exited(0))
    append("three\n", to: log)
    #expect(try text(path) == "three\n")
  }

  @Test func `a full log that was moved away is followed by a new one`() throws {
    let log = ProgramLog(bounded: path)
    append(String(repeating: "x", count: ProgramLog.limit), to: log)
    try Files.rename(path, to: "\(folder.path)/moved")
    append("new\n", to: log)
    #expect(try text(path) == "new\n")
    #expect(try text("\(folder.path)/moved").utf8.count == ProgramLog.limit)
  }

  @Test func `a log follows no link, and a file of the user's does`() throws {
    let other = try folder.file("other", "")
    #expect(try ConnectedChild(["ln", "-s", other, path]).end() == .exited(0))
    #expect(throws: SystemError.self) { try ProgramLog(bounded: path).open() }
    let log = ProgramLog(appendingTo: Array(path.utf8))
    append("here\n", to: log)
    #expect(try text(other) == "here\n")
  }

  @Test func `what was lost is said as soon as the log can be written`() throws {
    let log = ProgramLog(bounded: "\(folder.path)/later/phone.log")
    append("lost", to: log)
    append("lost", to: log)
    try Files.makeDirectory("\(folder.path)/later")
    append("kept\n", to: log)
    let reason = SystemError.missing("").message
    #expect(
      try text("\(folder.path)/later/phone.log")
        == "[lull: 8 bytes of output were lost: \(reason)]\nkept\n")
  }

  @Test func `lines that make room on a full disk are the oldest, and are counted in the log`() throws {
    _ = try folder.file("phone.log.1", "a\nb\nc")
    let log = ProgramLog(bounded: path)
    append("one\ntwo\n", to: log)
    #expect(log.makeRoom())
    append("in a li", to: log)
    let first = "one\ntwo\n[lull: 3 older lines were dropped: there was no room for them]\nin a li"
    #expect(try text(path) == first)
    #expect(log.makeRoom())
    append("ne\n", to: log)
    #expect(try text(path) == "ne\n[lull: 4 older lines were dropped: there was no room for them]\n")
    append("next\n", to: log)
    #expect(try text(path).hasSuffix("]\nnext\n"))
    try Files.unlink(path)
    append("new\n", to: log)
    #expect(log.makeRoom() && !log.makeRoom(), "nothing is left")
  }

  @Test func `the end of a log begins with a whole line`() throws {
    let log = ProgramLog(bounded: path)
    append("first line\nsecond\nthird\n", to: log)
    #expect(log.tail(15) == Array("second\nthird\n".utf8)[...])
    #expect(log.tail(4096) == Array("first line\nsecond\nthird\n".utf8)[...])
    #expect(log.isWhole(in: 4096) && !log.isWhole(in: 15))
    append(String(repeating: "x", count: ProgramLog.limit), to: log)
    #expect(!log.isWhole(in: 2 * ProgramLog.limit), "it began in the older file")
  }

  @Test func `a log that somebody has emptied has its end again`() throws {
    let log = ProgramLog(bounded: path)
    append("of a life before\n", to: log)
    log.begin(pid: 7, at: 0)
    #expect(try ConnectedChild(["truncate", "--size", "0", path]).end() == .exited(0))
    append("new\n", to: log)
    #expect(log.tail(4096) == Array("new\n".utf8)[...])
    #expect(!log.isWhole(in: 4096))
  }

  @Test func `each life has a line of its own, and the end of a log is that of this life`() throws {
    for (pid, text) in zip(Int32(1)..., ["first", "second\n"]) {
      let log = ProgramLog(bounded: path)
      try log.open()
      log.begin(pid: pid, at: 86_400)
      #expect(log.tail(4096) == [])
      append(text, to: log)
      #expect(log.tail(4096) == Array(text.utf8)[...])
    }
    let lines = try text(path).split(separator: "\n")
    #expect(lines.map(\.first) == ["-", "f", "-", "s"], "\(lines)")
    #expect(lines[2].hasPrefix("--- started 1970-01-0") && lines[2].hasSuffix(", pid 2 ---"))
  }

  @Test func `a file of the user's has no line of Lull's`() throws {
    append("before\n", to: ProgramLog(appendingTo: Array(path.utf8)))
    let log = ProgramLog(appendingTo: Array(path.utf8))
    try log.open()
    log.begin(pid: 1, at: 0)
    append("now\n", to: log)
    #expect(try text(path) == "before\nnow\n")
    #expect(log.tail(4096) == Array("now\n".utf8)[...])
  }

  @Test(arguments: [(0.0, 3), (1e6, 3), (2.5e6, 2), (3e6, 1), (9e6, 1)])
  func `the lives since a moment`(moment: Double, count: Int) {
    var log: [UInt8] = []
    for start in [1e6, 2e6, 3e6] { log += LifeMark.line(pid: 7, at: start) + Array("text\n".utf8) }
    let lives = String(decoding: LifeMark.lives(since: moment, in: log), as: UTF8.self)
    #expect(lives.split(separator: "\n").count == 2 * count)
  }
}

@Suite(.bounded) struct LogReaderTests {
  private let folder: TemporaryDirectory
  private let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = "\(folder.path)/phone.log"
  }

  @Test func `a reader goes on in the next file, and loses nothing`() throws {
    let log = ProgramLog(bounded: path)
    let line = Array((String(repeating: "y", count: 30_000) + "\n").utf8)
    log.append(line[...])
    var reader = try #require(try LogReader(path))
    #expect(try reader.next() == line)
    #expect(try reader.next() == [])
    var count = 0
    for _ in 0..<40 {
      log.append(line[...])
      if count % 7 == 0 { count += try reader.next().count / line.count } else { count += 0 }
    }
    count += try reader.next().count / line.count
    #expect(count == 40)
  }

  @Test func `a reader begins with the older file`() throws {
    _ = try folder.file("phone.log.1", "old\n")
    _ = try folder.file("phone.log", "new\n")
    var reader = try #require(try LogReader(path))
    #expect(try reader.next() == Array("old\nnew\n".utf8))
    #expect(try LogReader("\(folder.path)/none") == nil)
  }

  @Test(arguments: [
    (0, ""), (1, "c\n"), (2, "b\nc\n"), (9, "a\nb\nc\n"),
  ])
  func `the last lines of a text`(count: Int, expected: String) {
    #expect(LogReader.last(count, linesOf: Array("a\nb\nc\n".utf8)[...]) == Array(expected.utf8)[...])
  }

  @Test func `an unfinished line is a line`() {
    #expect(LogReader.last(1, linesOf: Array("a\nb".utf8)[...]) == Array("b".utf8)[...])
  }
}

import LullSystem
import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct ProgramRecordTests {
  private var record: ProgramRecord {
    ProgramRecord(
      request: Request.Run(name: "phone", .init { ($0.modes, $0.keepAlive) = (.voip, .seconds(600)) }),
      words: [Array("printf".utf8), [0xFF, 0x0A], []],
      environment: [Array("A=b\nc".utf8), [0x41, 0x3D, 0xC3]],
      directory: Array("/tmp/a b".utf8), umask: 0o27,
      limits: [.init(resource: 7, soft: 1024, hard: .max), .init(resource: 4, soft: 0, hard: 0)])
  }

  @Test func `a record is read back as it was written`() throws {
    var record = record
    #expect(try ProgramRecord(record.encoded()) == record)
    record.output = Array("/tmp/file".utf8)
    record.terminal = TerminalSize(columns: 90, rows: 30)
    #expect(try ProgramRecord(record.encoded()) == record)
    (record.terminal, record.isInputOpen, record.isInstalled) = (nil, true, true)
    #expect(try ProgramRecord(record.encoded()) == record)
  }

  @Test func `a record is its owner's alone, and another one takes its place`() throws {
    let folder = try TemporaryDirectory()
    let path = "\(folder.path)/state/programs/phone"
    #expect(try ProgramRecord.load(path) == nil)
    try record.save(path)
    var other = record
    other.words = [Array("true".utf8)]
    try other.save(path)
    #expect(try ProgramRecord.load(path) == other)
    #expect(try Files.owner(ofDirectory: "\(folder.path)/state").mode == 0o700)
  }

  @Test func `what is no record is refused in one line`() throws {
    let folder = try TemporaryDirectory()
    let bytes = try record.encoded()
    for cut in [0, 1, 40, bytes.count / 2] {
      let path = try folder.file("cut", String(decoding: bytes.prefix(cut), as: UTF8.self))
      #expect(throws: Failure.self) { try ProgramRecord.load(path) }
      try Files.unlink(path)
    }
  }
}

@Suite(.bounded) struct DetachKeysTests {
  private func pass(_ keys: String, _ typed: [[UInt8]]) throws -> (passed: [UInt8], leaves: Bool) {
    var keys = try DetachKeys(keys)
    var passed: [UInt8] = []
    for part in typed {
      let (own, leaves) = keys.pass(part[...])
      passed += own
      if leaves { return (passed, true) }
    }
    return (passed, false)
  }

  @Test func `one key leaves, and what was typed before it is passed on`() throws {
    let result = try pass("ctrl-]", [Array("ab".utf8) + [0x1D] + Array("c".utf8)])
    #expect(result.passed == Array("ab".utf8))
    #expect(result.leaves)
  }

  @Test func `a sequence leaves also when it comes in pieces, and is passed on when broken off`() throws {
    #expect(try pass("ctrl-p,ctrl-q", [[0x10], [0x11]]) == ([], true))
    #expect(try pass("ctrl-p,ctrl-q", [[0x10], [0x41]]) == ([0x10, 0x41], false))
    #expect(try pass("ctrl-p,ctrl-q", [[0x10, 0x10], [0x11]]) == ([0x10], true))
  }

  @Test(arguments: ["", "ctrl-", "ctrl-ä", "ctrl-p,", "ab", "ctrl-1"])
  func `other words are refused`(text: String) {
    #expect(throws: Failure.self) { try DetachKeys(text) }
  }

  @Test func `the keys are named`() throws {
    #expect(DetachKeys.usual.text == "Ctrl-]")
    #expect(try DetachKeys("ctrl-p,q").text == "Ctrl-P q")
  }
}

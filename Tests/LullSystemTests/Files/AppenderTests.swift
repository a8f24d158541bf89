import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded) struct AppenderTests {
  private let folder: TemporaryDirectory
  private var path: String { "\(folder.path)/log" }

  init() throws { folder = try TemporaryDirectory() }

  private func appender(limit: Int = 1 << 20) -> Appender {
    Appender(path: path, head: Array("head\n".utf8), limit: limit)
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try Files.read(path, limit: 1 << 24), as: UTF8.self)
  }

  private func shell(_ words: String...) throws {
    #expect(try Child(SpawnRequest(words)).end() == .exited(0))
  }

  @Test func `lines come behind the head, in a file of the owner's alone`() throws {
    let file = appender()
    #expect(!Files.exists(path))
    #expect(file.append(Array("one\n".utf8), mark: 1))
    #expect(file.append(Array("two\nthree\n".utf8), mark: 3))
    file.finish()
    #expect(try text(path) == "head\none\ntwo\nthree\n")
    #expect(file.takeProgress().written == 3)
    #expect(try Child(SpawnRequest(["sh", "-c", "test $(stat -c %a \(path)) = 600"])).end() == .exited(0))
  }

  @Test func `what another process left half written is cut off`() throws {
    for (old, kept) in [("one\ntw", "one\n"), ("tw", ""), ("one\n", "one\n")] {
      try Files.replace(path, with: Array(old.utf8))
      let file = appender()
      #expect(file.append(Array("new\n".utf8), mark: 1))
      file.finish()
      #expect(try text(path) == "\(kept)head\nnew\n")
    }
  }

  @Test func `the file is free at once, also for as long as a child does not run its program`() throws {
    var file: Appender? = appender()
    #expect(file?.append(Array("one\n".utf8), mark: 1) == true)
    file?.finish()
    var request = SpawnRequest(["true"])
    request.inheritsDescriptors = true
    request.isGated = true
    var spawned = try Process.spawn(request)
    let gate = try box(spawned.gate.take())
    let (pidfd, _) = spawned.boxes()
    defer {
      try? Process.sendSignal(pidfd.raw, Signal.kill)
      _ = try? ready(pidfd.raw, .readable)
      _ = try? Process.waitStatus(pidfd.raw)
      gate.close()
    }
    file = nil
    let next = appender()
    #expect(next.append(Array("two\n".utf8), mark: 1))
    next.finish()
    #expect(next.takeProgress().failure == nil)
    #expect(try text(path) == "head\none\nhead\ntwo\n")
  }

  @Test func `the file is renamed before it grows beyond its limit`() throws {
    let file = appender(limit: 60)
    for number in 0..<10 {
      #expect(file.append(Array("line number \(number)\n".utf8), mark: UInt64(number)))
      file.finish()
    }
    let (new, old) = (try text(path), try text(path + ".1"))
    #expect(new.utf8.count <= 60 && old.utf8.count <= 60)
    #expect(old.hasPrefix("head\n") && new.hasPrefix("head\n") && new.hasSuffix("line number 9\n"))
    let lines = (old + new).split(separator: "\n").filter { $0 != "head" }
    #expect(lines.map { $0.suffix(1) } == (10 - lines.count..<10).map { "\($0)"[...] })
  }

  @Test func `a second one is refused, and takes over when the first has gone`() throws {
    var first: Appender? = appender()
    #expect(first?.append(Array("first\n".utf8), mark: 1) == true)
    first?.finish()
    let second = appender()
    #expect(second.append(Array("second\n".utf8), mark: 7))
    second.finish()
    #expect(second.append(Array("third\n".utf8), mark: 8) == false, "a failure is taken note of first")
    let (written, failure) = second.takeProgress()
    #expect(written == 0 && failure?.isWouldBlock == true)
    first = nil
    #expect(second.append(Array("second\n".utf8), mark: 7))
    second.finish()
    #expect(second.takeProgress().failure == nil)
    #expect(try text(path) == "head\nfirst\nhead\nsecond\n")
  }

  @Test func `one that is ending is waited for`() throws {
    let words = ["flock", path, "sh", "-c", "echo; exec sleep 0.1 >/dev/null"]
    let first = try ConnectedChild(words)
    _ = try first.output.line()
    let second = appender()
    #expect(second.append(Array("second\n".utf8), mark: 7))
    second.finish()
    #expect(second.takeProgress().failure == nil)
    #expect(try first.end() == .exited(0))
  }

  @Test func `a file that was removed is made again`() throws {
    let file = appender()
    #expect(file.append(Array("one\n".utf8), mark: 1))
    file.finish()
    try Files.unlink(path)
    #expect(file.append(Array("two\n".utf8), mark: 2))
    file.finish()
    #expect(try text(path) == "head\ntwo\n")
    try shell("rm", "-r", folder.path)
    #expect(file.append(Array("three\n".utf8), mark: 3))
    file.finish()
    #expect(try text(path) == "head\nthree\n")
  }

  @Test func `a full disk leaves whole lines, and what is missing comes when there is room`() throws {
    try shell("mount", "-t", "tmpfs", "-o", "size=8k", "none", folder.path)
    defer { try? shell("umount", "-l", folder.path) }
    let file = appender()
    let line = Array(repeating: UInt8(ascii: "x"), count: 999) + [UInt8(ascii: "\n")]
    var mark: UInt64 = 0
    var failure: SystemError?
    while failure == nil, mark < 20 {
      mark += 1
      #expect(file.append(line, mark: mark))
      file.finish()
      failure = file.takeProgress().failure
    }
    #expect(failure?.code == 28, "\(failure.debugDescription)")
    #expect(try text(path).hasSuffix("\n"))
    #expect(UInt64(try text(path).split(separator: "\n").count) == mark, "the head and the others")
    try shell("mount", "-o", "remount,size=64k", folder.path)
    #expect(file.append(line, mark: mark))
    file.finish()
    #expect(file.takeProgress().written == mark)
    #expect(UInt64(try text(path).split(separator: "\n").count) == mark + 1)
  }

  @Test func `nothing is lost of what was handed over before a good end`() async throws {
    await #expect(processExitsWith: .success) {
      let path = "/dev/shm/lull-appender-\(Identity.pid())"
      var file: Appender? = Appender(path: path, head: [], limit: 1 << 20)
      let line = Array("a line\n".utf8)
      for mark in 1...1000 { #expect(file?.append(line, mark: UInt64(mark)) == true) }
      file = nil
      let bytes = try Files.read(path, limit: 1 << 20)
      try Files.unlink(path)
      #expect(bytes.count == 1000 * line.count)
    }
  }

  @Test func `files share a worker, and one on a full disk does not hold up the other`() throws {
    try shell("mount", "-t", "tmpfs", "-o", "size=8k", "none", folder.path)
    defer { try? shell("umount", "-l", folder.path) }
    let (worker, other) = (Worker(), try TemporaryDirectory())
    let file = Replacer(path: path, by: worker)
    let log = Appender(path: "\(other.path)/log", head: [], limit: 1 << 20, by: worker)
    try file.replace(with: [1, 2, 3])
    file.finish()
    #expect(file.takeFailure() == nil && !file.isBusy)
    try file.replace(with: [UInt8](repeating: 1, count: 1 << 16))
    #expect(log.append(Array("one\n".utf8), mark: 1))
    log.finish()
    #expect(file.takeFailure()?.isNoSpace == true && !file.isBusy)
    #expect(try Files.read(path, limit: 10) == [1, 2, 3])
    #expect(!Files.exists(path + ".new"))
    #expect(try text("\(other.path)/log") == "one\n")
    #expect(log.takeProgress().written == 1)
  }

  @Test func `links and other files are refused`() throws {
    try shell("ln", "-s", "\(folder.path)/other", path)
    let file = appender()
    #expect(file.append(Array("one\n".utf8), mark: 1))
    file.finish()
    #expect(file.takeProgress().failure?.isNotADirectory == true)
    #expect(!Files.exists("\(folder.path)/other"))
    try Files.unlink(path)
    try shell("mkfifo", path)
    #expect(file.append(Array("one\n".utf8), mark: 1))
    file.finish()
    #expect(file.takeProgress().failure != nil)
  }
}

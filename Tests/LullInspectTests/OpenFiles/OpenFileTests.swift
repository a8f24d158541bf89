import CLinux
import Glibc
import LullInspect
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct OpenFileTests {
  @Test func `the descriptors of a program are told by kind and number`() throws {
    let directory = try TemporaryDirectory()
    let (here, there) = try UnixSocket.pair()
    let pipe = try pipePair()
    let timer = try Timer(.boottime)
    let event = try EventDescriptor()
    let epoll = Descriptor(owning: epoll_create1(0))
    let signals = Descriptor(owning: emptySignalDescriptor())
    let inotify = Descriptor(owning: inotify_init1(0))
    let own = try Process.pidfdOpen(getpid())
    let file = try directory.file("file")
    let plain = try box(Files.lock(file))
    let memory = try Files.memoryFile(name: "x", [1])
    var request = SpawnRequest(["sleep", "60"])
    let passed = [
      there.raw, pipe.reader.raw, timer.raw, event.raw, epoll.raw, signals.raw, inotify.raw, own.raw,
      plain.raw, memory.raw,
    ]
    request.passed = passed.enumerated().map { .init($1, as: Int32($0 + 10)) }
    let program = try Child(request)
    // Before the program sleeps the loader has libraries open.
    try program.awaitSleep()
    let files = try Process.openFiles(of: program.pid, limit: 100).filter { $0.number >= 10 }
    let kinds: [OpenFile.Kind] = [
      .socket(inode: try FileIdentity.of(there.raw).inode),
      .pipe(inode: try FileIdentity.of(pipe.reader.raw).inode), .timer, .event, .epoll, .signals, .inotify,
      .pidfd, .path(file), .path("/memfd:x (deleted)"),
    ]
    #expect(files.map(\.kind) == kinds)
    #expect(files.map(\.number) == Array(10..<20))
    _ = here
  }

  @Test func `more descriptors than the limit are too many, and exactly as many are not`() throws {
    let (_, there) = try UnixSocket.pair()
    var request = SpawnRequest(["sleep", "60"])
    request.passed = (3..<23).map { .init(there.raw, as: $0) }
    let program = try Child(request)
    try program.awaitSleep()
    #expect(try Process.openFiles(of: program.pid, limit: 23).map(\.number) == Array(0..<23))
    let error = #expect(throws: SystemError.self) { try Process.openFiles(of: program.pid, limit: 22) }
    #expect(error?.isTooMany == true)
  }

  @Test func `a process that has ended has none, and that is an error`() throws {
    let program = try Child(SpawnRequest(["true"]))
    try program.end()
    let error = #expect(throws: SystemError.self) { try Process.openFiles(of: program.pid, limit: 100) }
    #expect(error?.isNoSuchFile == true)
  }
}

private func emptySignalDescriptor() -> Int32 {
  var set = sigset_t()
  unsafe sigemptyset(&set)
  return unsafe signalfd(-1, &set, 0)
}

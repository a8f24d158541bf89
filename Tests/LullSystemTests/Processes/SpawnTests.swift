import Glibc
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct SpawnTests {
  @Test func `a command that does not exist is reported by its error number`() throws {
    #expect(try failure(SpawnRequest(["/nowhere/command"])) == SystemError(code: ENOENT, call: "execvp"))
    #expect(try failure(SpawnRequest(["no-such-command-here"])) == SystemError(code: ENOENT, call: "execvp"))
  }

  @Test func `a file that is not executable is reported by its error number`() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.file("text", "hello")
    #expect(try failure(SpawnRequest([file]))?.isNotExecutable == true)
    #expect(try failure(SpawnRequest([directory.path]))?.isNotExecutable == true)
  }

  @Test func `a working directory that is none is reported`() throws {
    let directory = try TemporaryDirectory()
    let file = try box(Files.lock("\(directory.path)/lock"))
    var request = SpawnRequest(["true"])
    request.directory = file.raw
    #expect(try failure(request) == SystemError(code: ENOTDIR, call: "fchdir"))
  }

  @Test func `an empty command is refused`() {
    let error = #expect(throws: SystemError.self) {
      _ = try Process.spawn(SpawnRequest(arguments: [], environment: [])).pid
    }
    #expect(error == SystemError(code: EINVAL, call: "clone3"))
  }

  @Test func `the environment and the arguments arrive byte for byte`() throws {
    let path = Array("PATH=/usr/bin:/bin".utf8)
    let odd: [UInt8] = Array("ODD=".utf8) + [0xff, 0xfe, 0x20]
    #expect(
      try output(of: SpawnRequest(arguments: [Array("env".utf8)], environment: [path, odd]))
        == path + [10] + odd + [10])
    let arguments = [Array("printf".utf8), Array("%s|".utf8), [0xc3, 0x28], []]
    #expect(
      try output(of: SpawnRequest(arguments: arguments, environment: [path])) == [0xc3, 0x28, 0x7c, 0x7c])
  }

  @Test func `the command is looked up in the given PATH`() throws {
    let directory = try TemporaryDirectory()
    #expect(unsafe symlink("/bin/echo", "\(directory.path)/greet") == 0)
    let environment = [Array("PATH=\(directory.path)".utf8)]
    let request = SpawnRequest(
      arguments: ["greet", "hello"].map { Array($0.utf8) }, environment: environment)
    #expect(try output(of: request) == Array("hello\n".utf8))
  }

  @Test func `descriptors arrive at their numbers, crossed ones too, and all others are closed`() throws {
    let (first, second) = try UnixSocket.pair()
    let open = try UnixSocket.pair()
    var request = SpawnRequest(["sh", "-c", "ls /proc/self/fd"])
    request.passed = [.init(first.raw, as: second.raw), .init(second.raw, as: first.raw)]
    let listed = Set(
      String(decoding: try output(of: request), as: UTF8.self).split(separator: "\n").map(String.init))
    var expected: Set<String> = ["0", "1", "2", "\(first.raw)", "\(second.raw)"]
    // ls itself opens the directory at the lowest free number.
    expected.insert("\(try #require((3...).first { !expected.contains("\($0)") }))")
    #expect(listed == expected)
    _ = open
  }

  @Test func `crossed descriptors are not mixed up`() throws {
    let (first, second) = (try UnixSocket.pair(), try UnixSocket.pair())
    var request = SpawnRequest(["sh", "-c", "echo three >&3; echo four >&4"])
    request.passed = [.init(first.1.raw, as: 4), .init(second.1.raw, as: 3)]
    let program = try Child(request)
    #expect(try program.end() == .exited(0))
    first.1.close()
    second.1.close()
    #expect(try readAll(first.0.raw) == Array("four\n".utf8))
    #expect(try readAll(second.0.raw) == Array("three\n".utf8))
  }

  @Test func `descriptors that the parent has anyway may be targets, with others passed on`() throws {
    let (first, second) = (try UnixSocket.pair(), try UnixSocket.pair())
    // Each is the other's target, and the gate and the pipe stand on whatever is free.
    var request = SpawnRequest([
      "bash", "-c", "echo one >&$0; echo two >&$1", "\(second.1.raw)", "\(first.1.raw)",
    ])
    request.passed = [.init(first.1.raw, as: second.1.raw), .init(second.1.raw, as: first.1.raw)]
    request.inheritsDescriptors = true
    let program = try Child(request)
    #expect(try program.end() == .exited(0))
    first.1.close()
    second.1.close()
    #expect(try readAll(first.0.raw) == Array("one\n".utf8))
    #expect(try readAll(second.0.raw) == Array("two\n".utf8))
  }

  @Test func `the child learns its own number by LISTEN_PID, and an entry of another form stays`() throws {
    let script = "test $LISTEN_PID = $$ && echo $LISTEN_PID_TOO"
    let own = [SpawnRequest.pidEntry, "LISTEN_PID_TOO=0000000000", "PATH=/usr/bin:/bin"]
    let words = ["sh", "-c", script].map { Array($0.utf8) }
    #expect(
      try output(of: SpawnRequest(arguments: words, environment: own.map { Array($0.utf8) }))
        == Array("0000000000\n".utf8))
    let other = ["LISTEN_PID=77", "PATH=/usr/bin:/bin"].map { Array($0.utf8) }
    let print = ["sh", "-c", "echo $LISTEN_PID"].map { Array($0.utf8) }
    #expect(try output(of: SpawnRequest(arguments: print, environment: other)) == Array("77\n".utf8))
  }

  @Test func `the working directory is the one given`() throws {
    let directory = try TemporaryDirectory()
    let folder = try Files.openDirectory(directory.path)
    var request = SpawnRequest(["pwd"])
    request.directory = folder.raw
    #expect(try output(of: request) == Array("\(directory.path)\n".utf8))
  }

  @Test func `a new group and a new session are led by the child`() throws {
    var request = SpawnRequest(["sleep", "60"])
    let inherited = try Child(request)
    #expect(getpgid(inherited.pid) == getpgid(0))
    request.group = .newGroup
    let group = try Child(request)
    #expect(getpgid(group.pid) == group.pid)
    #expect(getsid(group.pid) == getsid(0))
    request.group = .newSession
    let session = try Child(request)
    #expect(getsid(session.pid) == session.pid)
    try Process.kill(group: group.pid, Signal.terminate)
    #expect(try group.end() == .signaled(Signal.terminate))
  }

  @Test func `the child has the limit of open files that was asked for`() throws {
    var request = SpawnRequest(["sh", "-c", "ulimit -Sn"])
    request.openFileLimit = 256
    #expect(try output(of: request) == Array("256\n".utf8))
  }

  @Test func `signals that the parent ignores or blocks are normal in the child`() async {
    await #expect(processExitsWith: .success) {
      try Signal.ignore(Signal.pipe)
      let signals = try SignalDescriptor(blocking: [Signal.terminate])
      let program = try Child(SpawnRequest(["sleep", "60"]))
      let status = String(
        decoding: try Files.read("/proc/\(program.pid)/status", limit: 65536), as: UTF8.self)
      #expect(status.contains("SigBlk:\t0000000000000000"))
      #expect(status.contains("SigIgn:\t0000000000000000"))
      _ = signals.raw
    }
  }
}

private func failure(_ request: SpawnRequest) throws -> SystemError? {
  let spawned = try Process.spawn(request)
  _ = try ready(spawned.execStatus.raw, .readable)
  let result = try Process.execResult(spawned.execStatus.raw)
  _ = try ready(spawned.pidfd.raw, .readable)
  #expect(try Process.hasNotExecuted(spawned.pid))
  let status = try Process.waitStatus(spawned.pidfd.raw)
  guard case .failed(let error) = result else { return nil }
  #expect(status == .exited(error.isNoSuchFile ? 127 : 126))
  return error
}

import LullSystem

/// Another program of Lull, run for its output.
enum OtherProgram {
  private static let patience: Int32 = 5000

  /// Throws `failed` with the reason when it does not run.
  static func version(of program: String) throws(Failure) -> String {
    do throws(SystemError) {
      let (text, status) = try output(of: [program, "--version"])
      if status == .exited(0), let line = text.split(separator: "\n").first { return String(line) }
    } catch {
      let isMissing = error.isNoSuchFile && !program.contains("/")
      throw .failed("\(program): \(isMissing ? "not found in PATH" : error.message)")
    }
    throw .failed("\(program) does not tell its version")
  }

  /// A program that takes too long is killed.
  static func output(of arguments: [String]) throws(SystemError) -> (String, ExitStatus?) {
    let (own, other) = try UnixSocket.pair()
    var request = SpawnRequest(arguments)
    request.standardOutput = other.raw
    request.standardError = other.raw
    request.group = .newSession
    let child = try Process.spawn(request)
    other.close()
    _ = try Socket.poll(child.execStatus.raw, .readable, timeoutMilliseconds: patience)
    if case .failed(let error) = try Process.execResult(child.execStatus.raw) { throw error }
    var buffer = ReceiveBuffer(capacity: 4096)
    var bytes: [UInt8] = []
    while try !Socket.poll(own.raw, .readable, timeoutMilliseconds: patience).isEmpty {
      guard case .bytes = try Socket.read(own.raw, into: &buffer) else { break }
      bytes += buffer.received
    }
    if try Socket.poll(child.pidfd.raw, .readable, timeoutMilliseconds: patience).isEmpty {
      try Process.sendSignal(child.pidfd.raw, Signal.kill)
      _ = try Socket.poll(child.pidfd.raw, .readable, timeoutMilliseconds: patience)
    }
    return (String(decoding: bytes, as: UTF8.self), try Process.waitStatus(child.pidfd.raw))
  }
}

import LullSystem

/// Questions to lull-audio about the sound card, since this program does not load ALSA's library.
enum SoundProgram {
  private static let patience: Int32 = 5000

  /// The output of lull-audio with these arguments, and its exit status.
  static func output(of arguments: [String]) throws(Failure) -> (String, ExitStatus?) {
    do throws(SystemError) {
      return try run([sibling("lull-audio")] + arguments)
    } catch {
      throw .failed("lull-audio cannot be started: \(error); install it beside lull")
    }
  }

  private static func sibling(_ name: String) throws(SystemError) -> String {
    let own = try Process.executablePath()
    let folder = own.lastIndex(of: "/").map { own[...$0] } ?? ""
    return folder + name
  }

  private static func run(_ arguments: [String]) throws(SystemError) -> (String, ExitStatus?) {
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

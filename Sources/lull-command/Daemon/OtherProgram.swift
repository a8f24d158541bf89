import LullSystem
import LullWire

/// Another program of Lull, run for its output.
enum OtherProgram {
  private static let patience: Int32 = 5000

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

  static func lastLine(_ text: String) -> String? { text.split(separator: "\n").last.map { String($0) } }

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

/// Questions to lull-audio about the sound card, since this program does not load ALSA's library.
enum SoundProgram {
  static func output(of arguments: [String]) throws(Failure) -> (String, ExitStatus?) {
    do { return try OtherProgram.output(of: [Process.sibling("lull-audio")] + arguments) } catch {
      throw .failed("lull-audio cannot be started (\(error.message)); install it beside lull")
    }
  }

  static func devices(_ direction: AudioDirection? = nil) throws(Failure) -> [String] {
    let (text, status) = try output(of: ["--devices"])
    guard status == .exited(0) else { throw .failed("lull-audio cannot list the devices") }
    return text.split(separator: "\n").compactMap { line in
      // "NAME  (plays and captures)  TEXT"; libraries of sound write lines of their own.
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, DeviceName.isValid(String(parts[0])) else { return nil }
      let plays = parts[1].hasPrefix("(plays")
      let captures = parts[1].hasPrefix("(captures") || plays && parts[2].hasPrefix("and captures")
      let isMeant =
        switch direction {
        case .play: plays
        case .capture: captures
        case nil: plays || captures
        }
      return isMeant ? String(parts[0]) : nil
    }
  }
}

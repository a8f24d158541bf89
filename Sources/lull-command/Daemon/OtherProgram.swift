import LullSystem
import LullWire

/// Another program of Lull, run for its output.
enum OtherProgram {
  private static let patience: Int32 = 5000
  /// More of an answer is not read, in bytes.
  fileprivate static let longest = 1 << 24

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

  /// What it writes to both streams.
  static func output(of arguments: [String]) throws(SystemError) -> (String, ExitStatus?) {
    let answer = try answer(of: arguments, errorsApart: false)
    return (answer.output, answer.status)
  }

  /// What it prints when it ends well.
  static func text(of arguments: [String]) throws(Failure) -> String {
    let answer = try told(by: arguments)
    guard answer.status == .exited(0) else { throw answer.failure(of: arguments[0]) }
    return answer.output
  }

  static func told(by arguments: [String]) throws(Failure) -> Answer {
    do { return try answer(of: arguments) } catch {
      throw .failed("\(arguments[0]): \(error.isNoSuchFile ? "not found in PATH" : error.message)")
    }
  }

  /// Those of these that can be executed, one at least.
  static func installed(of names: [String]) throws(Failure) -> [String] {
    let found = names.filter { name in (try? output(of: [name, "--version"]).1) == .exited(0) }
    guard !found.isEmpty else {
      throw .failed("none of \(names.joined(separator: ", ")) is in PATH; --runtime names another program")
    }
    return found
  }

  struct Answer {
    var output = "", errors = ""
    /// Nil where it took too long, or said too much.
    var status: ExitStatus?
    var isTooLong: Bool { output.utf8.count + errors.utf8.count > OtherProgram.longest }

    func failure(of program: String) -> Failure {
      guard status != nil else {
        return .failed("\(program): \(isTooLong ? "an answer of more than 16 MiB" : "no answer in 5 s")")
      }
      return .failed("\(program): \(lastLine(errors) ?? lastLine(output) ?? "failed")")
    }
  }

  static func answer(of arguments: [String], errorsApart: Bool = true) throws(SystemError) -> Answer {
    let (output, errors) = (try UnixSocket.pair(), errorsApart ? try UnixSocket.pair() : nil)
    var request = SpawnRequest(arguments)
    request.standardOutput = output.1.raw
    request.standardError = (errors ?? output).1.raw
    (request.group, request.parentDeathSignal) = (.newSession, Signal.kill)
    let child = try Process.spawn(request)
    output.1.close()
    errors?.1.close()
    _ = try Socket.poll(child.execStatus.raw, .readable, timeoutMilliseconds: patience)
    if case .failed(let error) = try Process.execResult(child.execStatus.raw) { throw error }
    var answer = Answer()
    (answer.output, answer.errors) = try texts(of: output.0, errors?.0)
    // Nobody reads what it would still say.
    let isOver = !output.0.isOpen && errors?.0.isOpen != true
    let wait = isOver ? patience : 0
    if try Socket.poll(child.pidfd.raw, .readable, timeoutMilliseconds: wait).isEmpty {
      // With what it has started, such as the helper of a container's runtime.
      try Process.kill(group: child.pid, Signal.kill)
      _ = try Socket.poll(child.pidfd.raw, .readable, timeoutMilliseconds: patience)
      _ = try Process.waitStatus(child.pidfd.raw)
      return answer
    }
    answer.status = try Process.waitStatus(child.pidfd.raw)
    return answer
  }

  private static func texts(
    of output: DescriptorBox, _ errors: DescriptorBox?
  ) throws(SystemError) -> (String, String) {
    var buffer = ReceiveBuffer(capacity: 4096)
    let streams = [output] + (errors.map { [$0] } ?? [])
    var bytes: [[UInt8]] = [[], []]
    reading: while true {
      var entries = streams.filter(\.isOpen).map { PollEntry($0.raw, .readable) }
      guard !entries.isEmpty, try Socket.pollMany(&entries, timeoutMilliseconds: patience) > 0 else { break }
      for (place, stream) in streams.enumerated() where stream.isOpen {
        switch try Socket.read(stream.raw, into: &buffer) {
        case .bytes:
          bytes[place] += buffer.received
          if bytes[0].count + bytes[1].count > longest { break reading }
        case .wouldBlock: continue
        case .endOfStream: stream.close()
        }
      }
    }
    return (String(decoding: bytes[0], as: UTF8.self), String(decoding: bytes[1], as: UTF8.self))
  }
}

/// Questions to lull-audio about the sound card, since this program does not load ALSA's library.
enum SoundProgram {
  static func output(of arguments: [String]) throws(Failure) -> (String, ExitStatus?) {
    do { return try OtherProgram.output(of: [Process.sibling("lull-audio")] + arguments) } catch {
      throw .failed("lull-audio cannot be started (\(error.message)); install it beside lull")
    }
  }

  static func deviceLines() throws(Failure) -> [Substring] {
    let (text, status) = try output(of: ["--devices"])
    guard status == .exited(0) else { throw .failed("lull-audio cannot list the devices") }
    return text.split(separator: "\n")
  }

  static func devices(_ direction: AudioDirection? = nil) throws(Failure) -> [String] {
    try deviceLines().compactMap { line in
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

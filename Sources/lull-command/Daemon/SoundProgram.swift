import LullSystem
import LullWire

/// Questions to lull-audio about the sound card, since this program does not load ALSA's library.
enum SoundProgram {
  static func output(of arguments: [String]) throws(Failure) -> (String, ExitStatus?) {
    do throws(SystemError) {
      return try OtherProgram.output(of: [Process.sibling("lull-audio")] + arguments)
    } catch {
      throw .failed("lull-audio cannot be started (\(error.message)); install it beside lull")
    }
  }

  /// Nil: the devices of both directions.
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

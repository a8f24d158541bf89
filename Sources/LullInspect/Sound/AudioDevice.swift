package import LullSystem

extension Process {
  /// The first of these files that is a sound device which records now, else which plays, such as
  /// "/dev/snd/pcmC0D0p"; nil when none is. The corresponding C function is `read` of
  /// `/proc/asound/cardX/pcmYp/subZ/status`.
  package static func runningAudioDevice(_ files: [OpenFile]) -> String? {
    runningAudioDevice(files, root: "/proc/asound")
  }

  static func runningAudioDevice(_ files: [OpenFile], root: String) -> String? {
    let paths = files.compactMap { file in if case .path(let path) = file.kind { path } else { nil } }
    let captures = paths.filter { $0.hasSuffix("c") }
    return captures.first { runs($0, root: root) } ?? paths.first { runs($0, root: root) }
  }

  private static func runs(_ path: String, root: String) -> Bool {
    guard let device = audioDevice(path) else { return false }
    let folder = "\(root)/\(device)"
    let streams = (try? Files.subdirectories(of: folder)) ?? []
    return streams.contains { $0.hasPrefix("sub") && runs("\(folder)/\($0)/status") }
  }

  /// "card0/pcm1p" for "/dev/snd/pcmC0D1p".
  private static func audioDevice(_ path: String) -> String? {
    let prefix = "/dev/snd/pcmC"
    guard path.hasPrefix(prefix), path.hasSuffix("p") || path.hasSuffix("c") else { return nil }
    let numbers = path.dropFirst(prefix.count).dropLast().split(
      separator: "D", omittingEmptySubsequences: false)
    guard numbers.count == 2, let card = UInt16(numbers[0]), let device = UInt16(numbers[1]) else {
      return nil
    }
    return "card\(card)/pcm\(device)\(path.suffix(1))"
  }

  private static func runs(_ file: String) -> Bool {
    var text = ShortText()
    guard (try? text.read(file)) != nil else { return false }
    return text.hasPrefix("state: RUNNING") || text.hasPrefix("state: DRAINING")
  }
}

package import LullSystem

extension Process {
  /// The first of these files that is a sound device which plays or records now, such as "/dev/snd/pcmC0D0p";
  /// nil when none is. The corresponding C function is `read` of `/proc/asound/cardX/pcmYp/subZ/status`.
  package static func runningAudioDevice(_ files: [OpenFile]) -> String? {
    runningAudioDevice(files, root: "/proc/asound")
  }

  static func runningAudioDevice(_ files: [OpenFile], root: String) -> String? {
    for case .path(let path) in files.lazy.map(\.kind) {
      guard let device = audioDevice(path) else { continue }
      let folder = "\(root)/\(device)"
      for stream in (try? Files.subdirectories(of: folder)) ?? [] where stream.hasPrefix("sub") {
        if runs("\(folder)/\(stream)/status") { return path }
      }
    }
    return nil
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

import LullSystem

/// Questions to lull-audio about the sound card, since this program does not load ALSA's library.
enum SoundProgram {
  /// The output of lull-audio with these arguments, and its exit status.
  static func output(of arguments: [String]) throws(Failure) -> (String, ExitStatus?) {
    do throws(SystemError) {
      return try OtherProgram.output(of: [OtherProgram.sibling("lull-audio")] + arguments)
    } catch {
      throw .failed("lull-audio cannot be started (\(error.message)); install it beside lull")
    }
  }
}

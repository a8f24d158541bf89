package import LullSystem

package enum CommandPath {
  /// The word itself when it has a slash, else the first file in `path`, the folders of PATH, that can be
  /// executed. ENOENT: there is none; EACCES: it cannot be executed.
  package static func find(_ word: String, in path: String?) throws(SystemError) -> String {
    guard !word.utf8.contains(UInt8(ascii: "/")) else {
      try Files.checkExecutable(word)
      return word
    }
    var failure = SystemError.missing(word)
    for folder in (path ?? usual).split(separator: ":", omittingEmptySubsequences: false) {
      let candidate = folder.isEmpty ? "./" + word : "\(folder)/\(word)"
      do {
        try Files.checkExecutable(candidate)
        return candidate
      } catch {
        if error.isNotExecutable { failure = error }
      }
    }
    throw failure
  }

  /// Those of execvp(3), where there is no PATH.
  private static let usual = "/bin:/usr/bin"
}

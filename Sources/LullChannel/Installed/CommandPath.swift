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

/// The interpreter that the first line of a script asks for (`#!`), where it cannot be executed: the kernel
/// says of the script itself then that there is no such file.
package struct LostInterpreter: Equatable, Sendable {
  package let path: String
  package let error: SystemError

  /// To be read behind the name of the script.
  package var text: String {
    "its first line (#!) asks for \(path), which cannot be executed (\(error.message)); install that, or "
      + "mend the line"
  }

  /// The kernel lets no more scripts interpret each other (`BINPRM_MAX_RECURSION`).
  private static let deepest = 5

  /// Nil when the file at that path is no script, or its interpreter is there. What cannot be read is taken
  /// to be no script. The corresponding C functions are `open`, `pread` and `access`.
  package init?(of path: String) {
    var path = path
    for _ in 0..<Self.deepest {
      // A relative one is looked for where the script will run.
      guard let next = Self.interpreter(of: path), next.hasPrefix("/") else { return nil }
      do throws(SystemError) {
        try Files.checkExecutable(next)
      } catch {
        (self.path, self.error) = (next, error)
        return
      }
      path = next
    }
    return nil
  }

  /// The kernel reads so many bytes of a file (`BINPRM_BUF_SIZE`).
  private static let mostBytes = 256

  private static func interpreter(of path: String) -> String? {
    guard let file = try? Files.openRegular(Array(path.utf8)),
      let bytes = try? Files.read(file.raw, at: 0, count: mostBytes), bytes.starts(with: "#!".utf8)
    else { return nil }
    let blanks = " \t".utf8
    let line = bytes.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    let word = line.drop { blanks.contains($0) }.prefix { !blanks.contains($0) && $0 != 0 }
    return String(validating: word, as: UTF8.self)
  }
}

import LullSystem

/// The man page of a subcommand, where it is installed beside this program.
enum ManualPage {
  /// Becomes man(1) for "lull help COMMAND" on a terminal. Returns where there is no page or no man: the help
  /// is printed then.
  static func open(askedFor words: [String]) {
    guard words.count == 2, words[0] == "help", Terminal.isTerminal(StandardStreams.output),
      let folder = try? Process.folder(), let page = page(of: words[1], besideFolder: folder)
    else { return }
    try? Process.become(["man", page])
  }

  /// The page of `lull NAME` for a program in `folder`, as it is installed; nil where there is none.
  static func page(of name: String, besideFolder folder: String) -> String? {
    let page = "\(folder)/../share/man/man1/lull-\(name).1"
    return [page, "\(page).gz"].first(where: Files.exists)
  }
}

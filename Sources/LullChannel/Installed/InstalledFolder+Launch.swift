import LullSystem

extension InstalledFolder {
  /// The reason why a program could not be started as its file stands now: the file is gone or has a mistake
  /// in its words, or its command is gone. `path` is PATH, where a command is looked up. The corresponding C
  /// functions are those of ``file(_:)``, and `access`.
  package func problem(ofStarting name: String, path: String?) -> InstalledFile.Problem? {
    do throws(InstalledFile.Problem) {
      try Self.checkCommand(try file(name), path)
      return nil
    } catch {
      return error
    }
  }

  private static func checkCommand(_ file: InstalledFile, _ path: String?) throws(InstalledFile.Problem) {
    let own = file.values(of: "--env").last { $0.hasPrefix("PATH=") }?.dropFirst(5)
    let word = file.command[0]
    var text: String?
    do throws(SystemError) {
      text = LostInterpreter(of: try CommandPath.find(word, in: own.map { String($0) } ?? path))?.text
    } catch {
      text = error.message
    }
    if let text { throw .init(name: file.name, line: file.commandLine, text: "\(word): \(text)") }
  }
}

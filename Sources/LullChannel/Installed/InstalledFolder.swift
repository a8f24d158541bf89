package import LullSystem
import LullWire

/// The folder of the installed programs: one file for each, with the program's name.
package struct InstalledFolder: Sendable {
  package let path: String

  package init(_ path: String) { self.path = path }

  /// `programs` in ``ConfigurationDirectory``; nil when the user has no home directory. A user's programs and
  /// those of root are in different folders, and each daemon reads one.
  package static var ofThisUser: InstalledFolder? {
    ConfigurationDirectory.path().map { InstalledFolder($0 + "/programs") }
  }

  /// A copy that an editor made is no program's.
  package static func isName(_ name: String) -> Bool {
    ProgramName.isValid(name) && !PassedOver.isCopy(name)
  }

  /// Empty when there is no folder. The corresponding C functions are `readdir` and `stat`.
  package func names() throws(SystemError) -> [String] { try contents().names }

  /// Empty when there is no folder. The corresponding C functions are `readdir` and `stat`.
  package func contents() throws(SystemError) -> Contents {
    Contents(try Files.ifThere(Files.entries(of: Array(path.utf8))) ?? [])
  }

  /// True also for a file with errors.
  package func holds(_ name: String) -> Bool {
    guard Self.isName(name), Files.exists(path(of: name)) else { return false }
    if case .folder = kind(of: name) { return false }
    return true
  }

  /// The problem of a folder that stands where the file of that name would be.
  package func obstacle(to name: String) -> InstalledFile.Problem? {
    guard Self.isName(name), case .folder = kind(of: name), let text = strangeness(of: name) else {
      return nil
    }
    return .init(name: name, text: text)
  }

  /// The entry of a name can be read and mended as a file; false for a pipe, a link that leads nowhere and
  /// the like. The corresponding C function is `stat`.
  package func isFile(_ name: String) -> Bool { kind(of: name) == .file }

  private func kind(of name: String) -> FolderEntry.Kind? { Files.kind(Array(path(of: name).utf8)) }

  package func path(of name: String) -> String { "\(path)/\(name)" }

  /// A file that others could have written is refused: whoever writes it decides what this user runs. The
  /// corresponding C functions are `open`, `fstat` and `pread`.
  package func file(_ name: String) throws(InstalledFile.Problem) -> InstalledFile {
    guard Self.isName(name) else { throw .init(name: name, text: "no program can have this name") }
    if let text = strangeness(of: name) { throw .init(name: name, text: text) }
    let content: Content
    do throws(SystemError) {
      content = try read(path(of: name))
    } catch {
      let text =
        error.isNoSuchFile
        ? "not installed; \"lull install \(name) -- COMMAND\" does it" : "cannot be read (\(error.message))"
      throw .init(name: name, text: text)
    }
    switch content {
    case .bytes(let bytes): return try InstalledFile(name: name, bytes: bytes)
    case .refused(let text): throw .init(name: name, text: text)
    }
  }

  /// The reason why the files of the folder are not read. The corresponding C function is `stat`.
  package func objection() throws(SystemError) -> String? {
    Self.objection(to: try Files.owner(ofFolder: path), of: path)
  }

  /// Nil for a file, and where nothing stands.
  private func strangeness(of name: String) -> String? {
    let path = path(of: name)
    let remove = "\"lull remove \(name)\" removes it"
    switch kind(of: name) {
    case .file: return nil
    case .folder: return "a folder, and no file; take it away (\(path))"
    case .pipe: return "a named pipe, and no file; \(remove)"
    case .socket: return "a socket, and no file; \(remove)"
    case .device: return "a device, and no file; \(remove)"
    case .lostLink, nil: return Files.exists(path) ? "a link that leads nowhere; \(remove)" : nil
    }
  }

  private enum Content {
    case bytes([UInt8])
    case refused(String)
  }

  private func read(_ path: String) throws(SystemError) -> Content {
    guard let file = try Files.openRegular(Array(path.utf8)) else {
      return .refused("no file; remove it")
    }
    defer { file.close() }
    if let text = Self.objection(to: try Files.owner(ofFile: file.raw), of: path) { return .refused(text) }
    if let text = try objection() { return .refused(text) }
    let bytes = try Files.read(file.raw, at: 0, count: InstalledFile.maximum + 1)
    return bytes.count > InstalledFile.maximum ? .refused("longer than 1 MiB; shorten it") : .bytes(bytes)
  }

  private static func objection(to owner: FileOwner, of path: String) -> String? {
    guard owner.uid == Identity.uid() || owner.uid == 0 else {
      return "\(path) belongs to uid \(owner.uid), who decides what you run; make it your own (chown)"
    }
    guard owner.mode & 0o022 == 0 else {
      return "others can write \(path), and so decide what you run; \"chmod go-w\" it"
    }
    return nil
  }
}

extension InstalledFolder {
  package struct PassedOver: Equatable, Sendable {
    package enum Reason: CaseIterable, Sendable {
      case name
      /// A copy that an editor or a packager made.
      case copy
      case folder
    }

    package let name: String
    package let reason: Reason
  }

  package struct Contents: Equatable, Sendable {
    package private(set) var names: [String] = []
    package private(set) var passedOver: [PassedOver] = []

    init(_ entries: [FolderEntry]) {
      for entry in entries {
        let name = String(decoding: entry.name, as: UTF8.self)
        if let reason = PassedOver.reason(name, entry.kind) {
          passedOver.append(PassedOver(name: name, reason: reason))
        } else {
          names.append(name)
        }
      }
      names.sort()
      passedOver.sort { $0.name < $1.name }
    }
  }
}

extension InstalledFolder.PassedOver {
  /// The endings of copies by editors and packagers, and of a draft of Lull's own (`.new`).
  private static let endings = [
    "~", ".bak", ".dpkg-dist", ".dpkg-new", ".dpkg-old", ".new", ".old", ".orig", ".rpmnew", ".rpmsave",
    ".save", ".swp", ".tmp",
  ]

  static func isCopy(_ name: String) -> Bool {
    endings.contains { name.hasSuffix($0) } || name.hasPrefix("#") && name.hasSuffix("#")
      || name.hasPrefix(".#")
  }

  fileprivate static func reason(_ name: String, _ kind: FolderEntry.Kind) -> Reason? {
    if case .folder = kind { return .folder }
    if isCopy(name) { return .copy }
    return ProgramName.isValid(name) ? nil : .name
  }
}

extension InstalledFolder {
  /// The reason why a program could not be started as its file stands now: the file is gone or has an error
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

import LullChannel
import LullSystem

/// Installed programs with an error in their files, or whose commands are gone. Nothing is tried again
/// before one of these has changed: their folders are watched, and not looked at again and again.
final class MisconfiguredPrograms {
  private struct Look: Equatable {
    let version: FileVersion?
    /// The error that is seen without the meaning of the options.
    let problem: String?
    let isCommandThere: Bool
    let lost: LostInterpreter?

    init(_ name: String, _ folder: InstalledFolder) {
      version = FileVersion(folder.path(of: name))
      do throws(InstalledFile.Problem) {
        let word = try folder.file(name).command[0]
        let path = try? CommandPath.find(word, in: Identity.environment("PATH"))
        (problem, isCommandThere, lost) = (nil, path != nil, path.flatMap(LostInterpreter.init))
      } catch {
        (problem, isCommandThere, lost) = ("\(error)", false, nil)
      }
    }
  }

  private let reactor: DaemonReactor
  private let journal: Journal
  private var watch: FileWatch?
  private var registration: Slot?
  /// As a program was when its start began; of programs that are being started, or have an error.
  private var looks: [String: Look] = [:]
  private var misconfigured: [String] = []

  init(_ services: SharedServices) { (reactor, journal) = (services.reactor, services.journal) }

  func begins(_ name: String, _ folder: InstalledFolder?) {
    forget(name)
    if let folder, folder.holds(name) { looks[name] = Look(name, folder) }
  }

  /// Returns true when the error is mended already.
  func failed(_ name: String, _ folder: InstalledFolder?) -> Bool {
    guard let folder, let look = looks[name] else { return false }
    if !misconfigured.contains(name) { misconfigured.append(name) }
    watchFolders(folder)
    return Look(name, folder) != look
  }

  func forget(_ name: String) {
    looks[name] = nil
    misconfigured.removeAll { $0 == name }
    if misconfigured.isEmpty { stop() }
  }

  /// Returns the programs that may be started now.
  func changed(_ folder: InstalledFolder?) -> [String] {
    journal.ignoring([], try watch?.drain())
    guard let folder else { return [] }
    watchFolders(folder)
    return misconfigured.filter { Look($0, folder) != looks[$0] }
  }

  // MARK: The watch

  /// A folder that was made since is watched from now on, before anybody looks into it.
  private func watchFolders(_ folder: InstalledFolder) {
    if watch == nil { journal.ignoring([], try open()) }
    try? watch?.add(folder.path, [.names, .finished, .attributes])
    for name in misconfigured {
      guard let word = (try? folder.file(name))?.command[0] else { continue }
      for path in [word, looks[name]?.lost?.path ?? ""] where path.hasPrefix("/") {
        // The race: a nearer folder is made between the search and the watch.
        while let nearest = watchNearest(above: path), watchNearest(above: path) != nearest {}
      }
    }
  }

  /// Watches the nearest folder that is there; returns it.
  private func watchNearest(above path: String) -> String? {
    var rest = path[...]
    while let slash = rest.lastIndex(of: "/") {
      rest = rest[..<slash]
      let parent = rest.isEmpty ? "/" : String(rest)
      if (try? watch?.add(parent, [.names, .attributes])) != nil { return parent }
    }
    return nil
  }

  private func open() throws(SystemError) {
    let new = try FileWatch()
    registration = try reactor.add(new.raw, .readable, as: .misconfigured)
    watch = consume new
  }

  private func stop() {
    if let registration = registration.take() { reactor.remove(registration) }
    watch = nil
  }
}

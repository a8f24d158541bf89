import LullChannel
import LullEngine
import LullSystem
import LullWire

struct WatchedFiles: ~Copyable {
  private static let most = 4096

  private let root: String
  private var watch: FileWatch?
  /// The time zone: the target of `/etc/localtime`, or another text for a file that is no link.
  private(set) var zone = ""
  private var settings: [(name: String, version: FileVersion)] = []

  init(root: String) { self.root = root }

  mutating func open() throws(SystemError) -> Int32? {
    let new = try FileWatch()
    let raw = new.raw
    watch = consume new
    return raw
  }

  func drain() throws(SystemError) { try watch?.drain() }

  /// A nil zone has not changed. The settings are those of these programs.
  mutating func changes() -> (zone: String?, settings: [String]) {
    // A folder that was made since is watched from now on, before anybody looks into it.
    watchFolders()
    let (oldZone, old) = (zone, settings)
    (zone, settings) = (readZone(), readSettings())
    let changed = settings.filter { one in !old.contains { $0 == one } }
    let gone = old.filter { one in !settings.contains { $0.name == one.name } }
    return (zone == oldZone ? nil : zone, (changed + gone).map(\.name))
  }

  /// A folder that is not there, or may not be read, is left out.
  private func watchFolders() {
    try? watch?.add(root + "/etc", [.names, .finished])
    let folders = SettingsFolder.chain()
    for folder in folders.dropLast() where folder != root + "/etc" { try? watch?.add(folder, .names) }
    if let last = folders.last { try? watch?.add(last, [.moved, .finished]) }
  }

  private func readZone() -> String {
    let path = root + "/etc/localtime"
    var target = ShortText()
    if (try? target.readLink(path)) != nil { return target.string }
    return FileVersion(path).map { "\($0.hashValue)" } ?? ""
  }

  private func readSettings() -> [(name: String, version: FileVersion)] {
    let folder = SettingsFolder.path()
    guard let entries = try? Files.entries(of: Array(folder.utf8)) else { return [] }
    return entries.prefix(Self.most).compactMap { entry in
      let name = String(decoding: entry.name, as: UTF8.self)
      guard ProgramName.isValid(name), let version = FileVersion("\(folder)/\(name)") else { return nil }
      return (name, version)
    }
  }
}

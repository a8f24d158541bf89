import LullSystem
import LullWire

extension InstalledFolder {
  /// An entry of the folder that is no program.
  package struct PassedOver: Equatable, Sendable {
    /// The reason for which an entry is no program.
    package enum Reason: CaseIterable, Sendable {
      /// No program can have that name.
      case name
      /// A copy that an editor or a packager made.
      case copy
      case folder
    }

    /// The name of the entry.
    package let name: String
    package let reason: Reason
  }

  /// What is in the folder.
  package struct Contents: Equatable, Sendable {
    /// The names of the installed programs, in order.
    package private(set) var names: [String] = []
    /// The other entries, in the order of their names.
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
  /// What editors and packagers append to the name of a copy, and a draft of Lull's own (`.new`).
  private static let endings = [
    "~", ".bak", ".dpkg-dist", ".dpkg-new", ".dpkg-old", ".new", ".old", ".orig", ".rpmnew", ".rpmsave",
    ".save", ".swp", ".tmp",
  ]

  /// True for the name of a copy that an editor or a packager makes.
  static func isCopy(_ name: String) -> Bool {
    endings.contains { name.hasSuffix($0) } || name.hasPrefix("#") && name.hasSuffix("#")
      || name.hasPrefix(".#")
  }

  /// nil for a program.
  fileprivate static func reason(_ name: String, _ kind: FolderEntry.Kind) -> Reason? {
    if case .folder = kind { return .folder }
    if isCopy(name) { return .copy }
    return ProgramName.isValid(name) ? nil : .name
  }
}

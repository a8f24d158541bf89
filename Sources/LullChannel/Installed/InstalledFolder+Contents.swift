import LullSystem
import LullWire

extension InstalledFolder {
  package struct PassedOver: Equatable, Sendable {
    package enum Reason: CaseIterable, Sendable {
      /// No program can have that name.
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

  /// Nil for a program.
  fileprivate static func reason(_ name: String, _ kind: FolderEntry.Kind) -> Reason? {
    if case .folder = kind { return .folder }
    if isCopy(name) { return .copy }
    return ProgramName.isValid(name) ? nil : .name
  }
}

import LullChannel

/// What is no program among the files of installed programs, for people.
enum PassedOverText {
  /// The names that are listed for one reason.
  private static let most = 8

  /// For example `"bad name" (no program can have this name), x~ (a copy that an editor made)`; nil when
  /// nothing is passed over.
  static func line(_ entries: [InstalledFolder.PassedOver]) -> String? {
    let parts = InstalledFolder.PassedOver.Reason.allCases.compactMap { reason -> String? in
      let names = entries.filter { $0.reason == reason }.map { quoted($0.name) }
      guard !names.isEmpty else { return nil }
      let more = names.count > most ? " and \(names.count - most) more" : ""
      return "\(names.prefix(most).joined(separator: ", "))\(more) (\(text(reason)))"
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// What to do where a name may have been meant for a program; nil for copies alone.
  static func remedy(_ entries: [InstalledFolder.PassedOver], in folder: InstalledFolder) -> String? {
    guard entries.contains(where: { $0.reason != .copy }) else { return nil }
    return "give it a name of letters, digits, '.', '_' and '-', or take it out of \(folder.path)"
  }

  private static func quoted(_ name: String) -> String {
    let text = name.count > 32 ? "\(name.prefix(32))..." : name
    return text.contains(" ") ? "\"\(text)\"" : text
  }

  private static func text(_ reason: InstalledFolder.PassedOver.Reason) -> String {
    switch reason {
    case .name: "no program can have this name"
    case .copy: "copies of an editor or packager"
    case .folder: "a folder"
    }
  }
}

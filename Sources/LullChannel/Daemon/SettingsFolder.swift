internal import LullSystem

/// The folder of the programs' files of settings: `settings` in ``ConfigurationDirectory``.
package enum SettingsFolder {
  /// It need not exist.
  package static func path() -> String { chain()[2] }

  /// The folder above that of Lull, the folder of Lull in it, and that of the settings.
  package static func chain() -> [String] { chain(own: ConfigurationDirectory.path()) }

  /// A user without a home directory has the machine's.
  static func chain(own: String?) -> [String] {
    let own = own ?? "/etc/lull"
    let above = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
    return [above.isEmpty ? "/" : above, own, own + "/settings"]
  }
}

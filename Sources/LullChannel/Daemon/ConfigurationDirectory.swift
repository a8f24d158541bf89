internal import LullSystem

package enum ConfigurationDirectory {
  /// `$LULL_CONFIG_DIR`, else `lull` in `$XDG_CONFIG_HOME`, else `~/.config/lull`. Root has `/etc/lull`
  /// unless XDG_CONFIG_HOME names a folder of root's own: after `sudo -E` it is another user's. It need not
  /// exist; nil when the user has no home directory.
  package static func path() -> String? {
    path(
      uid: Identity.uid(), home: Identity.home, owner: StateDirectory.owner(of:),
      environment: Identity.environment)
  }

  static func path(
    uid: UInt32, home: () -> String?, owner: (String) -> UInt32?, environment: (String) -> String?
  ) -> String? {
    // A relative path would lead elsewhere from another folder; the XDG specification says to ignore them.
    if let given = environment("LULL_CONFIG_DIR"), given.hasPrefix("/") { return given }
    if let given = environment("XDG_CONFIG_HOME"), given.hasPrefix("/"), uid != 0 || owner(given) == 0 {
      return given + "/lull"
    }
    return uid == 0 ? "/etc/lull" : home().map { $0 + "/.config/lull" }
  }
}

/// The folder of the programs' files of settings: `settings` in ``ConfigurationDirectory``.
package enum SettingsFolder {
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

internal import LullSystem

/// The place of the programs' files of settings. The rule for it stands here alone.
package enum SettingsFolder {
  /// The folder: `settings` in `$LULL_CONFIG_DIR`, else `lull/settings` in `$XDG_CONFIG_HOME`, else in
  /// `~/.config`. Root has `/etc/lull/settings` unless the folder that XDG_CONFIG_HOME names is root's own.
  /// It need not exist.
  package static func path() -> String { chain()[2] }

  /// The folder above that of Lull, the folder of Lull in it, and that of the settings.
  package static func chain() -> [String] { chain(base: base(), environment: Identity.environment) }

  static func chain(base: String, environment: (String) -> String?) -> [String] {
    var own = base + "/lull"
    if let given = environment("LULL_CONFIG_DIR"), given.hasPrefix("/") { own = given }
    let above = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
    return [above.isEmpty ? "/" : above, own, own + "/settings"]
  }

  private static func base() -> String {
    base(
      uid: Identity.uid(), home: Identity.home, owner: StateDirectory.owner(of:),
      environment: Identity.environment)
  }

  static func base(
    uid: UInt32, home: () -> String?, owner: (String) -> UInt32?, environment: (String) -> String?
  ) -> String {
    // The XDG specification says to ignore relative paths.
    if let given = environment("XDG_CONFIG_HOME"), given.hasPrefix("/"), uid != 0 || owner(given) == 0 {
      return given
    }
    guard uid != 0, let home = home() else { return "/etc" }
    return home + "/.config"
  }
}

import LullSystem

/// The start of lulld with the machine, by which installed programs come back: the unit of `Tools/install`,
/// and for a user a service manager that runs without a login.
enum BootStart {
  static let withoutSystemd = "have \"lull daemon start\" run when the machine starts"

  /// The commands that are missing; none where lulld starts with the machine, and nil where no systemd runs.
  static var missing: [String]? {
    let root = Identity.environment("LULL_SYSTEM_ROOT") ?? ""
    guard Files.exists(root + "/run/systemd/system") else { return nil }
    guard Identity.uid() != 0 else {
      let isEnabled = Files.exists(root + "/etc/systemd/system/multi-user.target.wants/lull.service")
      return isEnabled ? [] : ["systemctl enable lull"]
    }
    var missing: [String] = []
    let folders = [root + "/etc/systemd/user"] + (ownFolder.map { [$0 + "/systemd/user"] } ?? [])
    if !folders.contains(where: { Files.exists($0 + "/default.target.wants/lull.service") }) {
      missing.append("systemctl --user enable lull")
    }
    let user = Identity.environment("USER") ?? ""
    if user.isEmpty || !Files.exists(root + "/var/lib/systemd/linger/" + user) {
      missing.append("loginctl enable-linger")
    }
    return missing
  }

  private static var ownFolder: String? {
    if let given = Identity.environment("XDG_CONFIG_HOME"), given.hasPrefix("/") { return given }
    return Identity.home().map { $0 + "/.config" }
  }

  /// Nil where nothing is missing.
  static var hint: String? {
    guard let commands = missing else { return "it does not start with the machine yet: \(withoutSystemd)" }
    guard !commands.isEmpty else { return nil }
    return "it does not start with the machine yet: \(commands.joined(separator: "; "))"
  }
}

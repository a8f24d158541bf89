internal import LullSystem
internal import LullWire

/// The variables of the environment that name Lull's directories, and what is wrong with them. A relative
/// path is passed over, as the XDG specification wants it: it would lead elsewhere from another folder. So is
/// any empty variable.
package enum DirectoryVariables {
  private static let own = [
    "LULL_RUNTIME_DIR", "LULL_CONFIG_DIR", "LULL_GUARD", "LULL_CGROUP_ROOT", "LULL_SOUND_DEVICE",
    "LULL_SOUND_CLOSE_AFTER", "LULL_ALERT_DEVICE",
  ]

  /// A text line for each variable that leads nowhere or is an empty one of Lull's own, with what to do. The
  /// corresponding C function is `open`.
  package static func problems() -> [String] {
    problems(
      uid: Identity.uid(),
      used: (StateDirectory.path(), ConfigurationDirectory.path(), RuntimeDirectory.path()),
      isDirectory: isDirectory, environment: Identity.environment)
  }

  static func problems(
    uid: UInt32, used: (state: String?, configuration: String?, runtime: String?),
    isDirectory: (String) -> Bool, environment: (String) -> String?
  ) -> [String] {
    var variables = [("XDG_STATE_HOME", used.state), ("LULL_CONFIG_DIR", used.configuration)]
    if environment("LULL_CONFIG_DIR")?.hasPrefix("/") != true {
      variables.append(("XDG_CONFIG_HOME", used.configuration))
    }
    // Root's session directory is not used, and a wrong LULL_RUNTIME_DIR is a failure.
    if uid != 0, environment("LULL_RUNTIME_DIR")?.isEmpty ?? true {
      variables.append(("XDG_RUNTIME_DIR", used.runtime))
    }
    let empty = own.filter { environment($0) == "" }.map {
      "\($0): its value is missing, so it counts for nothing; give it one, or unset it"
    }
    let wrong = variables.compactMap { name, used -> String? in
      guard let given = environment(name), !given.isEmpty else { return nil }
      let isRelative = !given.hasPrefix("/")
      guard isRelative || !isDirectory(given) else { return nil }
      let fault = isRelative ? "does not begin with /" : "is no directory"
      let instead = used.flatMap { $0.hasPrefix(given) ? nil : ", so \($0) is used" } ?? ""
      return Printable.text("\(name): \(given) \(fault)\(instead); name a directory, or unset it")
    }
    return empty + wrong
  }

  /// True also for a directory that is still to be made.
  static func isDirectory(_ path: String) -> Bool {
    do throws(SystemError) {
      _ = try Files.openDirectory(Array(path.utf8))
      return true
    } catch {
      return !error.isNotADirectory
    }
  }
}

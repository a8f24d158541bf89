import LullSystem
import LullWire

/// The checks of what other programs of Lull use: this one loads no library of ALSA's and speaks no D-Bus.
enum SoundChecks {
  static func run() -> [CheckItem] {
    let device = Identity.setting("LULL_SOUND_DEVICE").map { ["--device", $0] } ?? []
    return [
      check(
        "sound-device", by: "lull-audio", ["--check"] + device,
        mend: "set LULL_SOUND_DEVICE to a device of \"aplay -L\", or start the sound server"),
      plugin(), sessionBus(),
      check(
        "desktop-notifications", by: "lull-notify", ["--check"],
        mend: "\"lull notifications\" lists them without a desktop"),
    ]
  }

  /// The program's last line is the detail: libraries of sound write lines of their own before it.
  private static func check(
    _ name: String, by program: String, _ arguments: [String], mend: String
  ) -> CheckItem {
    do throws(SystemError) {
      let (text, status) = try OtherProgram.output(of: [Process.sibling(program)] + arguments)
      let line = text.split(separator: "\n").last.map { String($0) } ?? "\(program) ended without a word"
      return status == .exited(0)
        ? CheckItem(name: name, .yes, line) : CheckItem(name: name, .limited, line, mend: mend)
    } catch {
      return CheckItem(
        name: name, .limited, "\(program) cannot be started (\(error.message))",
        mend: "install it beside lull")
    }
  }

  /// The check of the ALSA device `lull`, through which programs play that were never written for Lull.
  private static func plugin() -> CheckItem {
    let named = check("alsa-plugin", by: "lull-audio", ["--plugin"], mend: pluginMend)
    guard named.result == .yes else { return named }
    if let place = pluginPlaces(named.detail).first(where: Files.exists) {
      return CheckItem(name: named.name, .yes, place)
    }
    return CheckItem(
      name: named.name, .limited, "the ALSA device \"lull\" names \(named.detail), which is not there",
      mend: "run Tools/install, or take the device out of ~/.asoundrc")
  }

  private static func pluginPlaces(_ file: String) -> [String] {
    guard !file.hasPrefix("/") else { return [file] }
    let folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
    let multiarch = folders + ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu" }
    return multiarch.map { "\($0)/alsa-lib/\(file)" }
  }

  /// An installation below another prefix than /usr and /usr/local is in no configuration but its owner's.
  private static var pluginMend: String {
    let programs = (try? Process.sibling("")) ?? ""
    let file = programs.dropLast("bin/".count) + "share/alsa/50-lull.conf"
    guard programs.hasSuffix("/bin/"), Files.exists(String(file)) else {
      return "run Tools/install; programs on the library and lull-player do not need it"
    }
    return "echo \"<\(file)>\" >>~/.asoundrc"
  }

  private static func sessionBus() -> CheckItem {
    let directory = Identity.environment("XDG_RUNTIME_DIR").map { "\($0)/bus" }
    let hasBus =
      Identity.environment("DBUS_SESSION_BUS_ADDRESS") != nil || directory.map(Files.exists) ?? false
    guard hasBus else {
      return CheckItem(
        name: "session-bus", .limited, "no D-Bus session: lull-player is not reached by media keys",
        mend: "start the session with dbus-run-session, or set DBUS_SESSION_BUS_ADDRESS")
    }
    return CheckItem(name: "session-bus", .yes, "a D-Bus session is there")
  }
}

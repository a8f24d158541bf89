import LullSystem
import LullWire

enum SoundChecks {
  static func run() -> [CheckItem] { [device(), plugin(), sessionBus(), desktop()] }

  /// lull-audio tries the device: this program does not load ALSA's library.
  private static func device() -> CheckItem {
    let name = "sound-device"
    do throws(Failure) {
      let device = Identity.setting("LULL_SOUND_DEVICE").map { ["--device", $0] } ?? []
      let (text, status) = try SoundProgram.output(of: ["--check"] + device)
      // Libraries of sound write lines of their own before it.
      let line = text.split(separator: "\n").last.map { String($0) } ?? ""
      guard status == .exited(0) else {
        return CheckItem(
          name: name, .limited, line.isEmpty ? "lull-audio ended without a word" : line,
          mend: "set LULL_SOUND_DEVICE to a device of \"aplay -L\", or start the sound server")
      }
      return CheckItem(name: name, .yes, line)
    } catch {
      return CheckItem(name: name, .limited, error.message ?? "", mend: "install it beside lull")
    }
  }

  /// The check of the ALSA device `lull`, through which programs play that were never written for Lull.
  private static func plugin() -> CheckItem {
    let name = "alsa-plugin"
    do throws(Failure) {
      let (text, status) = try SoundProgram.output(of: ["--plugin"])
      let line = text.split(separator: "\n").last.map { String($0) } ?? "lull-audio ended without a word"
      guard status == .exited(0) else { return CheckItem(name: name, .limited, line, mend: pluginMend) }
      guard let place = pluginPlaces(line).first(where: Files.exists) else {
        return CheckItem(
          name: name, .limited, "the ALSA device \"lull\" names \(line), which is not there",
          mend: "run Tools/install, or take the device out of ~/.asoundrc")
      }
      return CheckItem(name: name, .yes, place)
    } catch {
      return CheckItem(name: name, .limited, error.message ?? "", mend: "install it beside lull")
    }
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

  private static func desktop() -> CheckItem {
    let name = "desktop-notifications"
    do {
      let (text, status) = try OtherProgram.output(of: [Process.sibling("lull-notify"), "--check"])
      let line = text.split(separator: "\n").first.map { String($0) } ?? "lull-notify ended without a word"
      guard status == .exited(0) else {
        return CheckItem(
          name: name, .limited, line, mend: "\"lull notifications\" lists them without a desktop")
      }
      return CheckItem(name: name, .yes, line)
    } catch {
      return CheckItem(name: name, .limited, "lull-notify: \(error)", mend: "install it beside lull")
    }
  }
}

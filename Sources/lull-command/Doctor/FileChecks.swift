import LullChannel
import LullSystem
import LullWire

/// The checks of what outlives a program and its daemon: logs, records, the journal, installed programs.
enum FileChecks {
  /// A full disk takes a small file now and then.
  private static let probe = [UInt8](repeating: 0, count: 1 << 16)
  private static let lost = "what programs write is lost, and \"lull start\" does not know them"

  static func run() -> [CheckItem] {
    [CheckItem("state-directory", state)] + installed() + [CheckItem("boot", boot)]
  }

  static func write(in folder: String) throws(SystemError) {
    let file = "\(folder)/.lull-doctor-\(Identity.pid())"
    defer { try? Files.unlink(file) }
    try Files.replace(file, with: probe, durably: true)
  }

  private static func state() throws(Shortage) -> String {
    guard let folder = StateDirectory.path() else {
      throw .limited("no home directory: \(lost)", mend: "set XDG_STATE_HOME")
    }
    do throws(SystemError) {
      if Files.exists(folder) { try StateDirectory.ensure(folder) }
      var existing = folder
      while !Files.exists(existing), let slash = existing.lastIndex(of: "/") {
        existing = String(existing[..<slash])
      }
      try write(in: existing)
      return folder
    } catch {
      throw .limited(
        "\(folder) cannot be written (\(error.message)): \(lost)",
        mend: "make room, or set XDG_STATE_HOME to a directory of your own")
    }
  }

  private static func installed() -> [CheckItem] {
    guard let folder = InstalledFolder.ofThisUser else { return [] }
    let contents: InstalledFolder.Contents
    do throws(SystemError) { contents = try folder.contents() } catch {
      return [
        CheckItem(
          name: "installed", .limited, "\(folder.path): cannot be read (\(error.message))",
          mend: "make it a folder of your own, which you may read")
      ]
    }
    let errors = contents.names.compactMap { error(in: $0, folder) }
    guard let line = PassedOverText.line(contents.passedOver) else { return errors }
    let remedy = PassedOverText.remedy(contents.passedOver, in: folder)
    return errors + [
      CheckItem(name: "installed", remedy == nil ? .yes : .limited, "passed over: \(line)", mend: remedy)
    ]
  }

  private static func error(in name: String, _ folder: InstalledFolder) -> CheckItem? {
    do throws(Failure) {
      _ = try InstalledProgram(name)
      return nil
    } catch {
      let remove = "lull remove \(name)"
      return CheckItem(
        name: "installed \(name)", .limited, error.message ?? "",
        mend: folder.isFile(name) ? "edit \(folder.path(of: name)), or \(remove)" : remove)
    }
  }

  /// Installed programs come back when the machine starts, if lulld does.
  private static func boot() throws(Shortage) -> String {
    let names = (try? InstalledFolder.ofThisUser?.names()) ?? []
    guard !names.isEmpty else { return "no program is installed, so none starts with the machine" }
    guard let missing = BootStart.missing else {
      throw .limited("no systemd runs here that would start lulld", mend: BootStart.withoutSystemd)
    }
    guard missing.isEmpty else {
      throw .limited(
        "lulld does not start with the machine, nor what is installed", mend: missing.joined(separator: "; "))
    }
    return "lulld starts with the machine, and what is installed with it"
  }
}

/// The checks of what other programs of Lull use: this one loads no library of ALSA's and speaks no D-Bus.
enum SoundChecks {
  static func run() -> [CheckItem] {
    [
      CheckItem("sound-device", device), CheckItem("alsa-plugin", plugin),
      CheckItem("session-bus", sessionBus),
      CheckItem("desktop-notifications") { () throws(Shortage) in
        try told(by: "lull-notify", ["--check"], mend: "\"lull notifications\" lists them without a desktop")
      },
    ]
  }

  /// The program's last line is the detail: libraries of sound write lines of their own before it.
  private static func told(
    by program: String, _ arguments: [String], mend: String
  ) throws(Shortage) -> String {
    let (text, status): (String, ExitStatus?)
    do throws(SystemError) {
      (text, status) = try OtherProgram.output(of: [Process.sibling(program)] + arguments)
    } catch {
      throw .limited("\(program) cannot be started (\(error.message))", mend: "install it beside lull")
    }
    let line = OtherProgram.lastLine(text) ?? "\(program) ended without a word"
    guard status == .exited(0) else { throw .limited(line, mend: mend) }
    return line
  }

  private static func device() throws(Shortage) -> String {
    let device = Identity.setting("LULL_SOUND_DEVICE").map { ["--device", $0] } ?? []
    return try told(
      by: "lull-audio", ["--check"] + device,
      mend: "set LULL_SOUND_DEVICE to a device of \"aplay -L\", or start the sound server")
  }

  /// The check of the ALSA device `lull`, through which programs play that were never written for Lull.
  private static func plugin() throws(Shortage) -> String {
    let file = try told(by: "lull-audio", ["--plugin"], mend: pluginMend)
    if let place = pluginPlaces(file).first(where: Files.exists) { return place }
    throw .limited(
      "the ALSA device \"lull\" names \(file), which is not there",
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

  private static func sessionBus() throws(Shortage) -> String {
    let directory = Identity.environment("XDG_RUNTIME_DIR").map { "\($0)/bus" }
    guard Identity.environment("DBUS_SESSION_BUS_ADDRESS") != nil || directory.map(Files.exists) ?? false
    else {
      throw .limited(
        "no D-Bus session: lull-player is not reached by media keys",
        mend: "start the session with dbus-run-session, or set DBUS_SESSION_BUS_ADDRESS")
    }
    return "a D-Bus session is there"
  }
}

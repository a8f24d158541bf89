import LullSystem
import TestSupport
import Testing

/// A desktop of the test's own: a session bus, an X server that nobody sees, and dunst.
final class Desktop {
  /// The variables of a program on this desktop.
  let environment: [String]
  private let folder: TemporaryDirectory
  private var children: [ConnectedChild] = []

  /// `configuration`: that of dunst.
  init(configuration: String) throws {
    try Executables.require("dbus-daemon", package: "dbus-daemon")
    try Executables.require("Xvfb", package: "xvfb")
    try Executables.require("dunst", package: "dunst")
    folder = try TemporaryDirectory()
    let address = "unix:path=\(folder.path)/bus"
    let bus = try ConnectedChild(
      ["dbus-daemon", "--session", "--nofork", "--nosyslog", "--print-address", "--address=\(address)"])
    _ = try bus.output.line()
    let screen = try ConnectedChild(
      ["Xvfb", "-noreset", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"])
    environment = try ["DBUS_SESSION_BUS_ADDRESS=\(address)", "DISPLAY=:\(screen.output.line())"]
    let file = try folder.file("dunstrc", configuration)
    // Its output is not read.
    let nothing = try Files.openNull()
    let dunst = try ConnectedChild(
      ["sh", "-c", "exec dunst -conf \"$1\" >\"$1.log\" 2>&1", "sh", file], environment: environment,
      input: nothing.raw)
    children = [dunst, screen, bus]
    try eventually("dunst does not come") { try control("is-paused") != nil }
  }

  deinit {
    for child in children {
      try? child.signal(Signal.kill)
      _ = try? child.end()
    }
  }

  /// The number of notifications that dunst shows.
  func shown() throws -> Int? {
    try control("count", "displayed").flatMap { Int($0.filter(\.isNumber)) }
  }

  /// Waits until dunst shows so many.
  func wait(forShown count: Int) throws {
    try eventually("dunst does not show \(count)") { try shown() == count }
  }

  /// The output of dunstctl; nil: it failed.
  @discardableResult
  func control(_ arguments: String...) throws -> String? {
    let child = try ConnectedChild(["dunstctl"] + arguments, environment: environment)
    let text = try child.output.untilEnd()
    return try child.end() == .exited(0) ? text : nil
  }
}

import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// The scripts of docs/DESKTOP.md, by which the focus of the desktop moves programs.
@Suite(.bounded) struct FocusTests {
  private let lull: Lull
  private let folder: TemporaryDirectory

  init() throws {
    try Executables.require("jq", package: "jq")
    lull = try Lull()
    folder = try TemporaryDirectory()
    for script in try Self.scripts() { try add(script.name, script.text) }
    try add("lull", "#!/bin/sh\nexec \(Built.program("lull")) \"$@\"\n")
  }

  /// The scripts of the page: blocks that begin with `#!/bin/sh` and their name.
  private static func scripts() throws -> [(name: String, text: String)] {
    let page = try Kernel.text("\(ProtocolPage.root)/docs/DESKTOP.md")
    let blocks = page.split(separator: "```").filter { $0.hasPrefix("sh\n#!/bin/sh\n# ") }
    let scripts = blocks.map { block in
      let text = block.dropFirst(3)
      return (name: String(text.dropFirst("#!/bin/sh\n# ".count).prefix { $0 != ":" }), text: String(text))
    }
    try #require(scripts.map(\.name) == ["lull-front", "lull-front-sway", "lull-front-x11"])
    return scripts
  }

  private func add(_ name: String, _ text: String) throws {
    try Kernel.write(text, to: "\(folder.path)/\(name)")
    try Kernel.check(unsafe chmod("\(folder.path)/\(name)", 0o700))
  }

  private func start(_ script: String, _ environment: [String] = []) throws -> ConnectedChild {
    let path = "PATH=\(folder.path):\(Identity.environment("PATH") ?? "")"
    return try ConnectedChild(
      ["\(folder.path)/\(script)"], environment: lull.environment + environment + [path])
  }

  private func wait(for states: (String, String), _ what: Comment) throws {
    try eventually(what) { try (lull.state(of: "one"), lull.state(of: "two")) == states }
  }

  @Test func `the events of sway bring one program to the foreground at a time`() throws {
    for name in ["one", "two"] { try lull.detach(name, options: ["--mode", "audio"]) }
    try wait(for: ("suspended", "suspended"), "they do not sleep")
    // As recorded, with the processes of these programs; an event comes when the test writes it.
    try add("swaymsg", "#!/bin/sh\n[ \"$*\" = '-m -t subscribe [\"window\", \"workspace\"]' ] && exec cat\n")
    let recorded = "\(ProtocolPage.root)/Tests/Support/Services/sway-focus.json"
    let events = try Kernel.text(recorded).replacing("20959", with: lull.field(.pids, of: "one"))
      .replacing("20973", with: lull.field(.pids, of: "two")).split(separator: "\n\n").map { "\($0)\n" }
    let script = try start("lull-front-sway")
    func send(_ numbers: Range<Int>) throws { try script.output.send(events[numbers].joined()) }
    try send(0..<2)
    try wait(for: ("active", "suspended"), "the first window is not in front")
    try send(2..<3)
    try wait(for: ("suspended", "active"), "the second window is not in front")
    try send(3..<4)
    try wait(for: ("suspended", "suspended"), "an empty workspace has a window in front")
    try send(4..<6)
    try wait(for: ("active", "suspended"), "the first window does not come back")
    script.output.close()
    try script.end()
  }

  @Test func `the active window of X11 is that of the program in the foreground`() throws {
    for (command, package) in [("Xvfb", "xvfb"), ("xprop", "x11-utils"), ("openbox", "openbox")] {
      try Executables.require(command, package: package)
    }
    // A server begins anew when its last client goes, and drops openbox if that is just coming.
    let screen = try ConnectedChild(["Xvfb", "-noreset", "-displayfd", "1", "-screen", "0", "640x480x24"])
    let display = try ["DISPLAY=:\(screen.output.line())"]
    let manager = try ConnectedChild(["openbox"], environment: display)
    try eventually("openbox manages no windows") {
      try xprop(["-root", "_NET_SUPPORTED"], display).contains("_NET_ACTIVE_WINDOW")
    }
    var runs: [ConnectedChild] = []
    for name in ["one", "two"] {
      let words = [
        "env", display[0], try Built.program("lull"), "run", "--mode", "voip", "--name", name, "--",
        "xmessage", "-title", name, name,
      ]
      runs.append(try ConnectedChild(words, environment: lull.environment))
      try eventually("no window") { try xprop(["-name", name, "WM_NAME"], display).contains("= \"\(name)") }
      // xmessage does not tell its process, as a toolkit does.
      let number = try lull.field(.pids, of: name)
      try xprop(["-name", name, "-f", "_NET_WM_PID", "32c", "-set", "_NET_WM_PID", number], display)
    }
    let script = try start("lull-front-x11", display)
    try wait(for: ("suspended", "active"), "the newest window is not in front")
    let other = try ConnectedChild(["xmessage", "other"], environment: display)
    try wait(for: ("suspended", "suspended"), "the window of a stranger does not count")
    try other.signal(Signal.terminate)
    try other.end()
    try wait(for: ("suspended", "active"), "the window does not come back")
    for name in ["two", "one"] {
      try eventually("\(name) is not in front") { try lull.state(of: name) == "active" }
      #expect(try lull.run("quit", name).status == .exited(0))
    }
    try screen.signal(Signal.kill)
    for child in [screen, script, manager] + runs { try child.end() }
  }

  @discardableResult
  private func xprop(_ words: [String], _ display: [String]) throws -> String {
    let child = try ConnectedChild(["xprop"] + words, environment: display)
    let text = try child.output.untilEnd()
    try child.end()
    return text
  }
}

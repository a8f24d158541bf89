import LullSystem
import TestSupport
import Testing

/// The unit files, as systemd reads them.
@Suite(.bounded) struct UnitTests {
  @Test(arguments: ["user", "system"]) func `systemd finds no fault in it`(_ kind: String) throws {
    try Executables.require("systemd-analyze", package: "systemd")
    let folder = try TemporaryDirectory()
    let binaries = try Built.program("lull").split(separator: "/").dropLast().joined(separator: "/")
    let text = try Kernel.text("\(ProtocolPage.root)/Tools/Units/\(kind).service")
    #expect(text.contains("@prefix@/bin/lull-guard"))
    let unit = try folder.file(
      "lull.service",
      text.split(separator: "@prefix@/bin", omittingEmptySubsequences: false)
        .joined(separator: "/\(binaries)"), mode: 0o644)
    let words = ["systemd-analyze", "--\(kind)", "verify", "--man=no", "--recursive-errors=no", unit]
    let child = try ConnectedChild(words, environment: ["XDG_RUNTIME_DIR=\(folder.path)"])
    #expect(try child.errors.untilEnd() == "")
    #expect(try child.end() == .exited(0))
  }
}

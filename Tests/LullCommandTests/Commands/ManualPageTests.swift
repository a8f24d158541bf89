import LullSystem
import TestSupport
import Testing

@testable import lull_command

/// Which page `lull help COMMAND` opens.
@Suite(.bounded) struct ManualPageTests {
  @Test func `the page beside the program is opened, compressed or not`() throws {
    let prefix = try TemporaryDirectory()
    let programs = "\(prefix.path)/bin"
    #expect(ManualPage.page(of: "run", besideFolder: programs) == nil)
    for folder in ["bin", "share", "share/man", "share/man/man1"] {
      try Files.makeDirectory("\(prefix.path)/\(folder)")
    }
    _ = try prefix.file("share/man/man1/lull-run.1.gz", "", mode: 0o644)
    #expect(
      ManualPage.page(of: "run", besideFolder: programs)?.hasSuffix("/bin/../share/man/man1/lull-run.1.gz")
        == true)
    _ = try prefix.file("share/man/man1/lull-run.1", "", mode: 0o644)
    #expect(ManualPage.page(of: "run", besideFolder: programs)?.hasSuffix("/lull-run.1") == true)
    #expect(ManualPage.page(of: "why", besideFolder: programs) == nil)
  }
}

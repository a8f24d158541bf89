import LullSystem
import TestSupport
import Testing

@testable import LullChannel

@Suite(.bounded) struct DirectoryVariablesTests {
  private func problems(uid: UInt32 = 1000, _ variables: [String: String]) -> [String] {
    DirectoryVariables.problems(
      uid: uid, used: ("/h/.local/state/lull", "/h/.config/lull", "/tmp/lull-1000"),
      isDirectory: { $0 != "/file" }, environment: { variables[$0] })
  }

  @Test func `a directory that is there, or is still to be made, is no problem`() {
    #expect(problems([:]) == [])
    #expect(problems(["XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "", "XDG_RUNTIME_DIR": "/r"]) == [])
  }

  @Test func `a relative path is told with what is used instead`() {
    #expect(
      problems(["XDG_STATE_HOME": "s"]) == [
        "XDG_STATE_HOME: s does not begin with /, so /h/.local/state/lull is used; name a directory, or "
          + "unset it"
      ])
    #expect(problems(["XDG_CONFIG_HOME": "s", "LULL_CONFIG_DIR": "c"]).count == 2)
    #expect(problems(["XDG_RUNTIME_DIR": "r"]).first?.contains(", so /tmp/lull-1000 is used; ") == true)
  }

  @Test func `a variable of Lull's own without a value is told`() {
    #expect(
      problems(["LULL_CONFIG_DIR": "", "XDG_STATE_HOME": ""]) == [
        "LULL_CONFIG_DIR: its value is missing, so it counts for nothing; give it one, or unset it"
      ])
  }

  @Test func `a file is told`() {
    #expect(
      problems(["XDG_CONFIG_HOME": "/file"]) == [
        "XDG_CONFIG_HOME: /file is no directory, so /h/.config/lull is used; name a directory, or unset it"
      ])
  }

  @Test func `what is not looked at is not told`() {
    #expect(problems(["XDG_CONFIG_HOME": "x", "LULL_CONFIG_DIR": "/c"]) == [])
    #expect(problems(["XDG_RUNTIME_DIR": "x", "LULL_RUNTIME_DIR": "/r"]) == [])
    #expect(problems(uid: 0, ["XDG_RUNTIME_DIR": "x"]) == [])
  }

  @Test func `the files of the machine are looked at`() {
    #expect(DirectoryVariables.isDirectory("/tmp") && DirectoryVariables.isDirectory("/tmp/no/such"))
    #expect(!DirectoryVariables.isDirectory("/etc/passwd"))
    #expect(!DirectoryVariables.isDirectory("/etc/passwd/below"))
  }
}

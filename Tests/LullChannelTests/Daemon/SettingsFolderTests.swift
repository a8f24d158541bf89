import TestSupport
import Testing

@testable import LullChannel

@Suite(.bounded) struct SettingsFolderTests {
  private func base(uid: UInt32, _ environment: [String: String]) -> String {
    let owners: [String: UInt32] = ["/c": uid, "/others": 7]
    return SettingsFolder.base(uid: uid, home: { "/h" }, owner: { owners[$0] }) { environment[$0] }
  }

  @Test func `Settings are kept where the XDG specification says, and root's in the system's place`() {
    #expect(base(uid: 7, [:]) == "/h/.config")
    #expect(base(uid: 7, ["XDG_CONFIG_HOME": "/c"]) == "/c")
    #expect(base(uid: 7, ["XDG_CONFIG_HOME": "c"]) == "/h/.config")
    #expect(base(uid: 0, [:]) == "/etc")
    #expect(base(uid: 0, ["XDG_CONFIG_HOME": "/c"]) == "/c")
    #expect(base(uid: 0, ["XDG_CONFIG_HOME": "/others"]) == "/etc")
  }

  @Test func `A directory of Lull's own that is given comes first`() {
    func chain(_ given: String) -> [String] {
      SettingsFolder.chain(base: "/c") { $0 == "LULL_CONFIG_DIR" ? given : nil }
    }
    #expect(chain("/x/y") == ["/x", "/x/y", "/x/y/settings"])
    #expect(chain("/x") == ["/", "/x", "/x/settings"])
    #expect(chain("x") == ["/c", "/c/lull", "/c/lull/settings"])
    let path = ConfigurationDirectory.path(uid: 0, home: { "/h" }, owner: { _ in 0 }) {
      $0 == "LULL_CONFIG_DIR" ? "/x" : "/c"
    }
    #expect(path == "/x")
  }
}

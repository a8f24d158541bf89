import TestSupport
import Testing

@testable import LullChannel

@Suite(.bounded) struct SettingsFolderTests {
  private func folder(uid: UInt32, _ environment: [String: String]) -> String? {
    let owners: [String: UInt32] = ["/c": uid, "/others": 7]
    return ConfigurationDirectory.path(uid: uid, home: { "/h" }, owner: { owners[$0] }) { environment[$0] }
  }

  @Test func `Settings are kept where the XDG specification says, and root's in the system's place`() {
    #expect(folder(uid: 7, [:]) == "/h/.config/lull")
    #expect(folder(uid: 7, ["XDG_CONFIG_HOME": "/c"]) == "/c/lull")
    #expect(folder(uid: 7, ["XDG_CONFIG_HOME": "c"]) == "/h/.config/lull")
    #expect(folder(uid: 0, [:]) == "/etc/lull")
    #expect(folder(uid: 0, ["XDG_CONFIG_HOME": "/c"]) == "/c/lull")
    #expect(folder(uid: 0, ["XDG_CONFIG_HOME": "/others"]) == "/etc/lull")
  }

  @Test func `A directory of Lull's own that is given comes first`() {
    #expect(folder(uid: 0, ["XDG_CONFIG_HOME": "/c", "LULL_CONFIG_DIR": "/x"]) == "/x")
    #expect(folder(uid: 7, ["XDG_CONFIG_HOME": "/c", "LULL_CONFIG_DIR": "x"]) == "/c/lull")
    #expect(SettingsFolder.chain(own: "/x/y") == ["/x", "/x/y", "/x/y/settings"])
    #expect(SettingsFolder.chain(own: "/x") == ["/", "/x", "/x/settings"])
    #expect(SettingsFolder.chain(own: nil) == ["/etc", "/etc/lull", "/etc/lull/settings"])
  }
}

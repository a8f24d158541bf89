import LullSystem
import TestSupport
import Testing

@testable import LullChannel

@Suite(.bounded) struct StateDirectoryTests {
  private func path(uid: UInt32, runtime: String, _ environment: [String: String]) -> String? {
    let owners: [String: UInt32] = ["/h": uid, "/s": uid, "/others": 7]
    return StateDirectory.path(
      uid: uid, home: { environment["HOME"] ?? "/h" }, runtime: runtime, owner: { owners[$0] }
    ) { environment[$0] }
  }

  @Test func `The state is kept where the XDG specification says`() {
    #expect(path(uid: 7, runtime: "/run/user/7/lull", ["HOME": "/h"]) == "/h/.local/state/lull")
    #expect(path(uid: 7, runtime: "/run/user/7/lull", ["XDG_STATE_HOME": "/s"]) == "/s/lull")
    let relative = path(uid: 7, runtime: "/run/user/7/lull", ["XDG_STATE_HOME": "s"])
    #expect(relative == "/h/.local/state/lull")
  }

  @Test func `Root has a place of the system's where there is no home`() {
    #expect(path(uid: 0, runtime: "/run/lull", [:]) == "/var/lib/lull")
    #expect(path(uid: 0, runtime: "/run/lull", ["HOME": ""]) == "/var/lib/lull")
    #expect(path(uid: 0, runtime: "/run/lull", ["HOME": "/h"]) == "/h/.local/state/lull")
  }

  @Test func `Root keeps nothing in a folder of another user's, whose links it would follow`() {
    #expect(path(uid: 0, runtime: "/run/lull", ["HOME": "/others"]) == "/var/lib/lull")
    let given = ["HOME": "/h", "XDG_STATE_HOME": "/others"]
    #expect(path(uid: 0, runtime: "/run/lull", given) == "/h/.local/state/lull")
    let ownUser = path(uid: 7, runtime: "/run/user/7/lull", ["XDG_STATE_HOME": "/others"])
    #expect(ownUser == "/others/lull")
  }

  @Test func `The owner of a folder that is missing is that of the one above`() throws {
    let folder = try TemporaryDirectory()
    #expect(StateDirectory.owner(of: folder.path) == Identity.uid())
    #expect(StateDirectory.owner(of: "\(folder.path)/a/b") == Identity.uid())
    #expect(StateDirectory.owner(of: "/missing") == 0)
    #expect(try Child(SpawnRequest(["ln", "-s", "/", "\(folder.path)/link"])).end() == .exited(0))
    #expect(StateDirectory.owner(of: "\(folder.path)/link") == nil)
  }

  @Test func `Daemons in other runtime directories have other places, the same at each start`() {
    let one = path(uid: 0, runtime: "/a", ["XDG_STATE_HOME": "/s"])
    let other = path(uid: 0, runtime: "/b", ["XDG_STATE_HOME": "/s"])
    #expect(one != other)
    #expect(one == path(uid: 0, runtime: "/a", ["XDG_STATE_HOME": "/s"]))
    #expect(one?.wholeMatch(of: /\/s\/lull\/at\/[0-9a-f]{1,16}/) != nil, "\(one ?? "")")
    // The usual place of one user is none of another's.
    #expect(path(uid: 7, runtime: "/run/lull", ["XDG_STATE_HOME": "/s"]) != "/s/lull")
  }

  @Test func `A program has a folder of its own in the state directory`() throws {
    let path = try #require(ProgramStateFolder.path(of: "phone"))
    #expect(StateDirectory.path().map { "\($0)/programs-state/phone" } == path)
    for name in ["..", "a/b", "", ".x"] { #expect(ProgramStateFolder.path(of: name) == nil) }
  }

  @Test func `A directory in which others can write is refused`() throws {
    let folder = try TemporaryDirectory()
    let path = "\(folder.path)/a/b/lull"
    try StateDirectory.ensure(path)
    try StateDirectory.ensure(path)
    #expect(try Files.owner(ofDirectory: path).mode == 0o700)
    #expect(try Child(SpawnRequest(["chmod", "777", path])).end() == .exited(0))
    #expect(throws: SystemError.self) { try StateDirectory.ensure(path) }
  }
}

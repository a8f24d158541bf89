import LullSystem
import TestSupport
import Testing

@testable import LullChannel

@Suite(.bounded) struct RuntimePathTests {
  @Test func `The variable LULL_RUNTIME_DIR wins over everything`() {
    let environment = ["LULL_RUNTIME_DIR": "/a", "XDG_RUNTIME_DIR": "/b"]
    #expect(RuntimeDirectory.path(uid: 0) { environment[$0] } == "/a")
    #expect(RuntimeDirectory.path(uid: 1000) { environment[$0] } == "/a")
  }

  @Test func `Root shares one daemon whatever session it came from`() {
    let environment = ["XDG_RUNTIME_DIR": "/run/user/0"]
    #expect(RuntimeDirectory.path(uid: 0) { environment[$0] } == "/run/lull")
  }

  @Test func `A user has the session's directory, and without a session one in tmp`() {
    let environment = ["XDG_RUNTIME_DIR": "/run/user/7", "LULL_RUNTIME_DIR": ""]
    #expect(RuntimeDirectory.path(uid: 7) { environment[$0] } == "/run/user/7/lull")
    #expect(RuntimeDirectory.path(uid: 7) { $0 == "XDG_RUNTIME_DIR" ? "run" : nil } == "/tmp/lull-7")
    #expect(RuntimeDirectory.path(uid: 7) { _ in nil } == "/tmp/lull-7")
  }
}

@Suite(.bounded) struct ControlSocketTests {
  @Test func `A daemon is the user's own, or root's in the system's directory`() {
    #expect(ControlSocket.isTrusted(7, path: "/tmp/lull-7/control", user: 7))
    #expect(ControlSocket.isTrusted(0, path: "/run/lull/control", user: 7))
    #expect(ControlSocket.isTrusted(7, path: "/run/lull/control", user: 7))
    #expect(!ControlSocket.isTrusted(8, path: "/tmp/lull-7/control", user: 7))
    #expect(!ControlSocket.isTrusted(8, path: "/run/lull/control", user: 7))
    #expect(!ControlSocket.isTrusted(0, path: "/tmp/lull-7/control", user: 7))
    #expect(!ControlSocket.isTrusted(0, path: "/run/lull-7/control", user: 7))
    #expect(!ControlSocket.isTrusted(7, path: "/run/lull/control", user: 0))
  }
}

@Suite(.bounded) struct DaemonLauncherTests {
  @Test func `A guard that is not there or cannot be run is named, and leaves no zombie`() async {
    await #expect(processExitsWith: .success) {
      #expect(
        throws: DaemonLaunchError.notStarted(program: "/nowhere/guard", SystemError(code: 2, call: "execvp"))
      ) {
        try DaemonLauncher.start(program: "/nowhere/guard", waitingAtMost: 5000)
      }
      let left = try Process.reapAny()
      #expect(left == nil)
    }
  }

  @Test func `A guard that gives up is told from one that is ready`() throws {
    #expect(throws: DaemonLaunchError.failed(program: "/bin/false", .exited(1))) {
      try DaemonLauncher.start(program: "/bin/false", waitingAtMost: 5000)
    }
    try DaemonLauncher.start(program: "/bin/true", waitingAtMost: 5000)
  }

  @Test func `The reason of a guard that gives up is told in its words`() throws {
    let directory = try TemporaryDirectory()
    let script = "\(directory.path)/guard"
    let text = "printf '#!/bin/sh\\necho lull-guard: no place >&2; exit 1\\n' > \"$0\" && chmod 700 \"$0\""
    #expect(try Child(SpawnRequest(["sh", "-c", text, script])).end() == .exited(0))
    let error = #expect(throws: DaemonLaunchError.self) {
      try DaemonLauncher.start(program: script, waitingAtMost: 5000)
    }
    #expect(error == .refused("no place"))
    #expect(error?.description == "no daemon: no place")
  }

  @Test func `A guard that hangs is given up after the time, and leaves no zombie`() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let script = "\(directory.path)/guard"
      let text = "printf '#!/bin/sh\\nexec sleep 60\\n' > \"$0\" && chmod 700 \"$0\""
      #expect(try Child(SpawnRequest(["sh", "-c", text, script])).end() == .exited(0))
      #expect(throws: DaemonLaunchError.timedOut(program: script, milliseconds: 50)) {
        try DaemonLauncher.start(program: script, waitingAtMost: 50)
      }
      let left = try Process.reapAny()
      #expect(left == nil)
    }
  }
}

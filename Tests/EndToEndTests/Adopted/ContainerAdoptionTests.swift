import LullSystem
import LullWire
import TestSupport
import Testing

/// A container of runc, with namespaces of its own, sleeps and stays runc's.
@Suite(.bounded) struct ContainerAdoptionTests {
  /// Ended with the test.
  private final class Container {
    let name: String
    private let folder: TemporaryDirectory

    init(_ lull: Lull) throws {
      try Executables.require("runc", package: "runc")
      try Executables.require("busybox", package: "busybox-static")
      name = "lull-test-\(lull.guardian.pid)"
      folder = try TemporaryDirectory()
      let script = """
        set -e
        cd "$1"; mkdir -p rootfs/bin rootfs/proc rootfs/sys rootfs/dev rootfs/tmp
        cp "$(command -v busybox)" rootfs/bin/busybox; echo hello >rootfs/tmp/page
        runc spec
        python3 - <<'END'
        import json
        config = json.load(open("config.json"))
        server = 'trap "exit 3" TERM; busybox httpd -p 7000 -h /tmp; '
        server += 'while :; do busybox sleep 9999 & wait $!; done'
        config["process"].update(terminal=False, args=["/bin/busybox", "sh", "-c", server], rlimits=[])
        json.dump(config, open("config.json", "w"))
        END
        runc run --detach "$2" </dev/null >log 2>&1 || { cat log; exit 1; }
        """
      let start = try ConnectedChild(["bash", "-c", script, "bash", folder.path, name])
      let text = try start.output.untilEnd() + start.errors.untilEnd()
      try #require(try start.end() == .exited(0), "\(text)")
    }

    deinit { _ = try? runc("delete", "--force", name) }

    /// The output and the exit status of a command of runc.
    func runc(_ words: String...) throws -> (output: String, status: ExitStatus) {
      let run = try ConnectedChild(["runc"] + words)
      return (try run.output.untilEnd(), try run.end())
    }

    func page() throws -> String {
      try runc("exec", name, "/bin/busybox", "wget", "-qO-", "http://127.0.0.1:7000/page").output
    }
  }

  private let lull: Lull
  private let journal: Journal
  private let container: Container

  init() throws {
    lull = try Lull()
    journal = try lull.journal()
    container = try Container(lull)
    let adopt = try lull.run(
      "adopt", "--container", container.name, "--runtime", "runc", "--name", "web", "--timers", "never")
    try #require(adopt.status == .exited(0), "\(adopt.errors)")
    try journal.waitForSleep(of: "web")
  }

  @Test func `a request inside its network namespace wakes it`() throws {
    #expect(try container.page() == "hello\n")
    let wake = try journal.wait("woke", of: "web", cause: "accept")
    #expect(wake["peer"] != nil || wake["detail"]?.contains("7000") == true, "\(wake)")
    try journal.waitForSleep(of: "web")
    #expect(try lull.field(.origin, of: "web") == container.name)
  }

  @Test func `without a runtime each that is installed is asked, until one runs it`() throws {
    #expect(try lull.run("release", "web").status == .exited(0))
    let folder = try TemporaryDirectory()
    let script = "#!/bin/sh\n[ \"$1\" = --version ] || { echo \"no container here\" >&2; exit 125; }\n"
    for name in ["podman", "docker", "nerdctl"] {
      try Files.replace("\(folder.path)/\(name)", with: Array(script.utf8))
    }
    let path = "PATH=\(folder.path):\(Identity.environment("PATH") ?? "")"
    let allow = ["sh", "-c", "chmod 755 \"$0\"/*; exec env \"$@\"", folder.path, path]
    let adopt = try lull.start(["adopt", "--container", container.name], prefix: allow)
    #expect(try adopt.output.line().hasPrefix("\(container.name): adopted"))
    #expect(try container.runc("pause", container.name).status == .exited(0))
    let paused = try lull.start(["adopt", "--container", container.name], prefix: ["env", path])
    #expect(try paused.errors.untilEnd() == "lull: the container \(container.name) does not run (paused)\n")
    let other = try lull.start(["adopt", "--container", "no-such"], prefix: ["env", path])
    let told = try other.errors.untilEnd()
    let reasons = ["podman", "docker", "nerdctl"].map { "\($0): no container here; " }.joined()
    #expect(told.hasPrefix("lull: \(reasons)runc: "), "\(told)")
    #expect(try other.end() == .exited(1))
  }

  @Test func `exec, pause and resume work on the sleeper`() throws {
    let exec = try container.runc("exec", container.name, "/bin/busybox", "sh", "-c", "echo in; exit 7")
    #expect(exec == ("in\n", .exited(7)))
    for word in ["pause", "resume"] {
      #expect(try container.runc(word, container.name).status == .exited(0))
    }
    #expect(try lull.cgroup(of: "web").isFreezeAsked())
    #expect(try container.page() == "hello\n")
  }

  @Test func `a paused one wakes when it is resumed`() throws {
    #expect(try container.runc("pause", container.name).status == .exited(0))
    try lull.order("wake name=web")
    #expect(try container.runc("resume", container.name).status == .exited(0))
    #expect(try container.page() == "hello\n")
  }

  @Test func `its signal to stop is taken at once`() throws {
    #expect(try container.runc("kill", container.name, "TERM").status == .exited(0))
    let exited = try journal.wait("exited", of: "web")
    #expect(exited["detail"]?.contains("3") == true, "\(exited)")
    #expect(try container.runc("delete", container.name).status == .exited(0))
  }
}

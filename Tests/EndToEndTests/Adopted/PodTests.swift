import LullSystem
import LullWire
import TestSupport
import Testing

/// `lull adopt --pods` with stand-ins for podman and crictl: what they answer is in files.
@Suite(.bounded) struct PodTests {
  private let lull: Lull
  private let journal: Journal
  private let folder: TemporaryDirectory

  init() throws {
    lull = try Lull()
    journal = try lull.journal()
    folder = try TemporaryDirectory()
    // Without the file "ps" it fails. Its events are what somebody writes to the pipe.
    let script = """
      #!/bin/sh
      cd "${0%/*}"
      case "$1" in
        --version) exit 0 ;;
        events) exec cat events ;;
        ps) [ -f ps ] || { echo "cannot reach the service" >&2; exit 125; }; cat ps ;;
        pods) cat pods ;;
        *) [ ! -f hangs ] || (sleep "$(cat hangs)"; :)
           echo "level=warning msg=[x]" >&2; cat inspect ;;
      esac
      """
    for name in ["podman", "crictl"] { try write(script, to: name) }
    let words = "cd '\(folder.path)'; chmod 755 podman crictl; mkfifo events"
    #expect(try ConnectedChild(["sh", "-c", words]).end() == .exited(0))
  }

  private func write(_ text: String, to file: String) throws {
    try Files.replace("\(folder.path)/\(file)", with: Array(text.utf8))
  }

  private func follow(_ runtime: String, _ words: [String] = []) throws -> ConnectedChild {
    let path = "\(folder.path)/\(runtime)"
    return try lull.start(["adopt", "--pods", "--runtime", path] + words)
  }

  /// Whoever writes lines into the pipe; its end is the end of the events.
  private func events() throws -> ConnectedChild {
    try ConnectedChild(["sh", "-c", "echo in; exec cat >'\(folder.path)/events'"])
  }

  private func container(_ name: String) throws -> ConnectedChild {
    let home = "\(lull.sandbox.cgroup)/\(name)"
    _ = try Cgroup.create(at: home)
    let child = try ConnectedChild(
      ["sh", "-c", "echo $$ >\(home)/cgroup.procs; exec \"$@\"", "sh"] + Python.command(FollowTests.server))
    #expect(try child.output.line() == "in")
    return child
  }

  private func inspected(
    _ name: String, _ life: ConnectedChild, with annotations: String = #""lull.mode":"voip""#
  ) -> String {
    #"{"Id":"id-\#(name)","Name":"\#(name)","State":{"Status":"running","Pid":\#(life.pid)},"#
      + #""Config":{"Labels":{"tier":"front"},"Annotations":{\#(annotations)}}}"#
  }

  private func setContainers(_ containers: [(name: String, text: String)]) throws {
    try write("[" + containers.map(\.text).joined(separator: ",") + "]", to: "inspect")
    try write(containers.map { "\"id-\($0.name)\"\n" }.joined(), to: "ps")
  }

  @Test func `containers are adopted as their annotations say, and others stay as they are`() throws {
    let (web, plain, wrong) = (try container("web"), try container("plain"), try container("wrong"))
    let first = [
      ("web", inspected("web", web, with: #""lull.mode":"voip","lull.linger":"7""#)),
      ("wrong", inspected("wrong", wrong, with: #""lull.mode":"voip","lull.lingre":"7""#)),
      ("plain", inspected("plain", plain, with: "")),
    ]
    try setContainers(first)
    let follower = try follow("podman")
    let events = try events()
    #expect(try follower.output.line().hasPrefix("web: adopted, pid \(web.pid)"))
    let complaint = try follower.errors.line()
    #expect(complaint.hasPrefix("lull: wrong: lull.lingre: no such annotation; there are lull.mode, lull."))
    try journal.waitForSleep(of: "web")
    #expect(try lull.field(.adopts, of: "web") == "container")
    let late = try container("late")
    try setContainers(first + [("late", inspected("late", late))])
    try events.output.send("{no JSON\n")
    #expect(try follower.output.line().hasPrefix("late: adopted, pid \(late.pid)"))
    // It is started again, with the same id.
    try web.signal(Signal.kill)
    try journal.wait("exited", of: "web")
    let again = try container("web")
    try setContainers([("web", inspected("web", again))])
    try events.output.send("start\n")
    #expect(try follower.output.line().hasPrefix("web: adopted, pid \(again.pid)"))
    #expect(try lull.order("status").all(.program).compactMap { $0[.name] }.sorted() == ["late", "web"])
    try follower.signal(Signal.terminate)
    #expect(try follower.end() == .exited(0))
    #expect(try follower.errors.untilEnd() == "")
  }

  @Test func `of several runtimes it follows the first, and says so`() throws {
    let path = "PATH=\(folder.path):\(Identity.environment("PATH") ?? "")"
    let follower = try lull.start(["adopt", "--pods"], prefix: ["env", path])
    let line = try follower.errors.line()
    #expect(line.hasPrefix("lull: podman is followed, and not ") && line.contains("crictl"), "\(line)")
    #expect(try follower.errors.line() == "lull: podman: cannot reach the service")
    try follower.signal(Signal.terminate)
    #expect(try follower.end() == .exited(0))
  }

  @Test func `a runtime that does not answer is told once, and asked again`() throws {
    let follower = try follow("podman", ["--selector", "tier=front"])
    #expect(try follower.errors.line() == "lull: \(folder.path)/podman: cannot reach the service")
    let web = try container("web")
    try setContainers([("web", inspected("web", web))])
    #expect(try follower.output.line().hasPrefix("web: adopted"))
    try follower.signal(Signal.terminate)
    #expect(try follower.end() == .exited(0))
  }

  @Test(arguments: [7, 1000])
  func `a runtime that answers late or never is given up, with what it has started`(seconds: Int) throws {
    try write("\(seconds)", to: "hangs")
    try write("4711 running web", to: "inspect")
    let result = try lull.run("adopt", "--container", "web", "--runtime", "\(folder.path)/podman")
    #expect(result.errors == "lull: \(folder.path)/podman: no answer in 5 s\n")
    try eventually("its helper runs on") {
      try ConnectedChild(["pgrep", "-f", "\(folder.path)/podman"]).end() == .exited(1)
    }
  }

  @Test(.tags(.faults)) func `what a lulld has let go, the next one adopts`() throws {
    let web = try container("web")
    try setContainers([("web", inspected("web", web))])
    let follower = try follow("podman")
    let events = try events()
    #expect(try follower.output.line().hasPrefix("web: adopted"))
    #expect(try lull.run("daemon", "stop", "--programs").status == .exited(0))
    try lull.startAgain()
    #expect(try follower.output.line().hasPrefix("web: adopted"))
    #expect(try follower.isAlive && events.isAlive)
  }

  @Test func `a selector passes over what has no such label`() throws {
    let (web, other) = (try container("web"), try container("other"))
    try setContainers([
      ("other", inspected("other", other).replacing("front", with: "back")),
      ("web", inspected("web", web)),
    ])
    let follower = try follow("podman", ["--selector", "tier=front"])
    #expect(try follower.output.line().hasPrefix("web: adopted"))
    #expect(try lull.order("status").all(.program).count == 1)
    #expect(try lull.run("adopt", "--pods", "--selector", "front").status == .exited(64))
    #expect(try lull.run("adopt", "--pods", "--keep-alive", "600").status == .exited(64))
    #expect(try lull.run("adopt", "--pods", "--runtime", "runc").errors.contains("podman, docker, crictl"))
  }

  @Test func `the runtime of a kubelet tells namespace, pod and container`() throws {
    let app = try container("app")
    try write(
      #"{"containers":[{"id":"c0ffee","podSandboxId":"5ad1","metadata":{"name":"app"}}]}"#, to: "ps")
    try write(
      #"{"items":[{"id":"5ad1","metadata":{"name":"web-0","namespace":"shop"},"labels":{},"#
        + #""annotations":{"lull.mode":"voip"}}]}"#, to: "pods")
    try write(#"{"status":{},"info":{"pid":\#(app.pid)}}"#, to: "inspect")
    let follower = try follow("crictl")
    #expect(try follower.output.line().hasPrefix("shop.web-0.app: adopted, pid \(app.pid)"))
    #expect(try lull.field(.origin, of: "shop.web-0.app") == "shop/web-0/app")
    let status = try lull.run("status", "--json").output
    for words in [#""namespace" : "shop""#, #""pod" : "web-0""#, #""container" : "app""#] {
      #expect(status.contains(words), "\(status)")
    }
  }
}

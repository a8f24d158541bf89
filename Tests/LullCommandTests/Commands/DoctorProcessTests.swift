import LullSystem
import LullWire
import Testing

extension LullProcessTests {
  @Suite struct Doctor {
    @Test func `the doctor works without a daemon and leaves no cgroup behind`() throws {
      let outcome = try LullProcess.run(["doctor"])
      #expect(outcome.status == .exited(0))
      for name in ["cgroup-mount", "alarm-timer", "ptrace", "runtime-directory", "daemon"] {
        #expect(outcome.output.contains("  \(name) "), "\(name) is not checked")
      }
      let own = try CgroupMount.ownPath()
      let left = try Cgroup.children(of: CgroupMount.find() + (own == "/" ? "" : own))
      #expect(left.filter { $0.hasPrefix("lull-doctor-") } == [])
    }

    @Test func `a child is really frozen where a cgroup can be made`() throws {
      let own = try CgroupMount.ownPath()
      let root = try CgroupMount.find() + (own == "/" ? "" : own) + "/lull-test-\(Identity.pid())"
      let cgroup = try Cgroup.create(at: root)
      defer { try? cgroup.remove() }
      let outcome = try LullProcess.run(["doctor"], environment: ["LULL_CGROUP_ROOT=\(root)"])
      #expect(outcome.output.contains("can be made in \(root)\n"))
      #expect(outcome.output.contains("a child was frozen in "))
      #expect(try Cgroup.children(of: root) == [])
    }

    @Test func `a place where no cgroup can be made is limited, and how to mend it is said`() throws {
      let outcome = try LullProcess.run(["doctor"], environment: ["LULL_CGROUP_ROOT=/proc/nowhere"])
      #expect(outcome.status == .exited(0))
      let line = try #require(outcome.output.split(separator: "\n").first { $0.contains("  cgroup  ") })
      #expect(line.hasPrefix("limited  cgroup"))
      #expect(outcome.output.contains("mend: start lulld as a systemd user service with Delegate=yes"))
    }

    @Test func `the daemon adds its own checks, and a no is status 1`() throws {
      let outcome = try LullProcess.run(["doctor"]) { request, client, _ in
        switch request {
        case .hello: try client.say("ok pid=42 version=0.1.0 clockRate=1 suspender=cgroup identity=operator")
        default:
          try client.say("item kind=check name=moon result=no detail=\"is down\" mend=wait", "ok count=1")
        }
      }
      #expect(outcome.requests == [.hello, .doctor])
      #expect(outcome.status == .exited(1))
      #expect(outcome.errors == "")
      #expect(outcome.output.contains("lulld 0.1.0, pid 42\n"))
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.contains { $0.hasPrefix("no ") && $0.contains(" moon ") && $0.hasSuffix(" is down") })
      #expect(lines.last?.hasSuffix(" mend: wait") == true)
    }

    @Test func `a runtime directory that others can write in is a no`() throws {
      let outcome = try LullProcess.run(["doctor"], environment: ["LULL_RUNTIME_DIR=/tmp"])
      #expect(outcome.status == .exited(1))
      #expect(outcome.output.contains("runtime directory /tmp"))
      #expect(outcome.output.contains("mend: set LULL_RUNTIME_DIR"))
    }
  }
}

import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import lull_command

extension LullProcessTests {
  @Suite struct Doctor {
    @Test func `the doctor works without a daemon and leaves no cgroup behind`() throws {
      let outcome = try LullProcess.run(
        ["doctor"], environment: ["LULL_GUARD=\(Built.program("lull-guard"))"])
      #expect(outcome.status == .exited(0))
      for name in ["open-files", "cgroup-mount", "alarm-timer", "ptrace", "runtime-directory", "daemon"] {
        #expect(outcome.output.contains("  \(name) "), "\(name) is not checked")
      }
      let own = try CgroupMount.ownPath()
      let left = try Cgroup.children(of: CgroupMount.find() + (own == "/" ? "" : own))
      #expect(left.filter { $0.hasPrefix("lull-doctor-") } == [])
    }

    @Test func `a state folder that cannot be written is told, with what is lost`() throws {
      let folder = try TemporaryDirectory()
      func line(_ home: String) throws -> Substring {
        let outcome = try LullProcess.run(["doctor"], environment: ["XDG_STATE_HOME=\(home)"])
        return try #require(
          outcome.output.split(separator: "\n").first { $0.contains("  state-directory ") })
      }
      #expect(try line("/proc/nowhere").hasPrefix("limited  state-directory"))
      #expect(try line("/proc/nowhere").contains("cannot be written (No such file or directory): what"))
      #expect(try line(folder.path).hasPrefix("yes "))
      #expect(try line(folder.path).contains("  \(folder.path)/lull/at/"))
      #expect(try Files.subdirectories(of: folder.path).isEmpty)
    }

    @Test func `the ALSA device is looked for as ALSA does`() throws {
      let folder = try TemporaryDirectory()
      let (file, plugin) = ("\(folder.path)/alsa.conf", "\(folder.path)/plugin.so")
      func line(_ configuration: String) throws -> Substring {
        try Files.replace(file, with: Array(configuration.utf8))
        let outcome = try LullProcess.run(["doctor"], environment: ["ALSA_CONFIG_PATH=\(file)"])
        return try #require(outcome.output.split(separator: "\n").first { $0.contains("  alsa-plugin ") })
      }
      #expect(try line("pcm.other { type hw }\n").hasSuffix("  ALSA has no device \"lull\""))
      let device = "pcm_type.lull { lib \"\(plugin)\" }\npcm.lull { type lull }\n"
      #expect(try line(device).hasSuffix("\"lull\" names \(plugin), which is not there"))
      try Files.replace(plugin, with: [])
      #expect(try line(device).hasSuffix("  \(plugin)"))
      #expect(try line(device).hasPrefix("yes"))
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

    @Test func `the freezer is tried beside the cgroups of the daemon that runs`() throws {
      let parent = try TestCgroup()
      let root = "\(parent.cgroup.path)/lull-root"
      let outcome = try LullProcess.run(
        ["doctor"], environment: ["LULL_CGROUP_ROOT=/proc/nowhere"]
      ) { _, client, _ in
        try client.say("item kind=check name=freezer result=yes detail=\(root)", "ok count=1")
      }
      #expect(outcome.output.contains("can be made in \(parent.cgroup.path)\n"))
      #expect(outcome.output.contains(", as what \"lull run\" starts can be\n"))
      #expect(outcome.output.contains("daemon freezer"))
    }

    @Test func `a place where no cgroup can be made is limited, and how to mend it is said`() throws {
      let outcome = try LullProcess.run(["doctor"], environment: ["LULL_CGROUP_ROOT=/proc/nowhere"])
      let line = try #require(outcome.output.split(separator: "\n").first { $0.contains("  cgroup  ") })
      #expect(line.hasPrefix("limited  cgroup"))
      #expect(outcome.output.contains("mend: start lulld as a systemd user service with Delegate=yes"))
    }

    @Test func `the daemon adds its own checks, and a no is status 1`() throws {
      let outcome = try LullProcess.run(["doctor"]) { _, client, _ in
        try client.say("item kind=check name=moon result=no detail=\"is down\"", "ok count=1")
      }
      #expect(outcome.requests == [.doctor])
      #expect(outcome.status == .exited(1))
      #expect(outcome.errors == "")
      #expect(outcome.output.contains("lulld 0.1.0, pid 42\n"))
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.contains { $0.hasPrefix("no ") && $0.contains(" moon ") && $0.hasSuffix(" is down") })
    }

    @Test func `a runtime directory that others can write in is a no`() throws {
      let outcome = try LullProcess.run(["doctor"], environment: ["LULL_RUNTIME_DIR=/tmp"])
      #expect(outcome.status == .exited(1))
      #expect(outcome.output.contains("runtime directory /tmp"))
      #expect(outcome.output.contains("mend: set LULL_RUNTIME_DIR"))
    }

    @Test func `a guard that is missing is a no`() throws {
      let outcome = try LullProcess.run(["doctor"])
      #expect(outcome.status == .exited(1))
      #expect(
        outcome.output.contains(
          "none runs, and none can be started: /nonexistent/guard: No such file or directory\n"))
      #expect(outcome.output.contains("mend: install lulld and lull-guard beside lull"))
    }

    @Test(arguments: [
      ("run", "runtime directory run: give a path that begins with /"),
      ("/tmp/" + String(repeating: "x", count: 100), "the runtime directory's path has 105 bytes"),
    ])
    func `a runtime directory that can hold no socket is a no, and run says the same`(
      path: String, words: String
    ) throws {
      let environment = ["LULL_RUNTIME_DIR=\(path)"]
      let outcome = try LullProcess.run(["doctor"], environment: environment)
      #expect(outcome.status == .exited(1))
      #expect(outcome.output.contains(words))
      for arguments in [["status"], ["run", "--", "true"]] {
        let refused = try LullProcess.run(arguments, environment: environment)
        #expect(refused.status == .exited(1))
        #expect(refused.errors.hasPrefix("lull: \(words)"))
        #expect(refused.errors.split(separator: "\n").count == 1)
      }
    }

    @Test func `too few descriptors are told, and nothing else is blamed`() throws {
      let outcome = try LullProcess.run(["doctor"], by: ["prlimit", "--nofile=10"])
      #expect(outcome.status == .exited(1))
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines.first == "no  open-files  only 10 files may be open, and lulld needs 64")
      #expect(lines.last?.contains("mend: ulimit -n 4096") == true)
    }

    @Test func `a daemon of another version is limited`() throws {
      let outcome = try LullProcess.run(["doctor"], version: "9.9.9") { _, client, _ in
        try client.say("ok count=0")
      }
      #expect(outcome.output.contains("lulld 9.9.9, pid 42; lull is 0.1.0\n"))
      #expect(outcome.output.contains("mend: \"lull daemon upgrade\" replaces it\n"))
      #expect(outcome.errors == "")
    }

    @Test func `a hierarchy in which this shell may start nothing is limited`() throws {
      try #require(Identity.uid() == 0, "only root can give a hierarchy away")
      let delegated = try TestCgroup()
      let root = delegated.cgroup.path
      for file in ["", "/cgroup.procs", "/cgroup.subtree_control"] {
        try #require(unsafe chown(root + file, 65534, 65534) == 0)
      }
      let outcome = try LullProcess.run(
        ["doctor"], environment: ["LULL_CGROUP_ROOT=\(root)"],
        by: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
      #expect(outcome.output.contains("limited  freezer"))
      #expect(outcome.output.contains("nothing can be started in \(root) from this shell's cgroup"))
    }
  }
}

@Suite(.bounded) struct DaemonCheckTests {
  @Test(arguments: [
    "freezer", "alarm-timer", "guard", "journal", "memory", "weights", "memory-pressure", "oom-score",
    "notifications",
  ])
  func `a check of the daemon has its words, and says how to mend what is limited`(name: String) {
    let (works, limited) = (
      DaemonCheckItem(name, .yes, detail: "/a"), DaemonCheckItem(name, .limited, detail: "it")
    )
    #expect(CheckItem(works).mend == nil && !CheckItem(works).detail.isEmpty)
    #expect(CheckItem(limited).detail != CheckItem(works).detail || name == "memory")
    #expect(CheckItem(limited).mend != nil || name == "memory")
  }

  @Test func `the memory of sleepers stays where it is for a reason`() {
    for trouble in MemoryTrouble.allCases {
      #expect(CheckItem(DaemonCheckItem("memory", .limited, cause: trouble.rawValue)).mend != nil)
    }
  }

  @Test func `what memory is short of is told with the numbers`() {
    var check = DaemonCheckItem("memory-pressure", .yes, detail: "/proc/pressure/memory")
    (check.cause, check.percent, check.availablePercent) = ("short", 10, 7)
    #expect(
      CheckItem(check).detail == "memory is short now; triggers on /proc/pressure/memory; what the machine "
        + "reports counts while less than 10 % of its memory is available (now 7 %)")
  }
}

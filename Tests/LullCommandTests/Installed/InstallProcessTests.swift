import LullSystem
import LullWire
import TestSupport
import Testing

/// `lull install`, `remove`, `list` and `start` with files of their own.
extension LullProcessTests {
  @Suite struct Install {
    private let folder: TemporaryDirectory
    private var environment: [String] { ["LULL_CONFIG_DIR=\(folder.path)/lull"] }

    init() throws { folder = try TemporaryDirectory() }

    private func path(_ name: String) -> String { "\(folder.path)/lull/programs/\(name)" }

    private func text(_ name: String) throws -> String {
      String(decoding: try Files.read(path(name), limit: 1 << 16), as: UTF8.self)
    }

    private func write(_ name: String, _ text: String) throws {
      try Files.makeDirectories("\(folder.path)/lull/programs")
      try Files.replace(path(name), with: Array(text.utf8))
    }

    private func lull(_ words: String..., script: Script? = nil) throws -> Outcome {
      try LullProcess.run(words, environment: environment, script: script)
    }

    @Test func `the file has the words of the command line, and the path of the command`() throws {
      let outcome = try lull(
        "install", "phone", "--no-start", "--mode", "voip,audio", "--keep-alive", "600", "--linger", "2.5",
        "--scheme", "sip", "--scheme", "sips", "--wake-on", "5060", "--env", "A=b c", "--stdin", "open",
        "--", "sh", "-c", "echo it's", "--mode")
      #expect(outcome.errors == "")
      #expect(outcome.output.hasPrefix("phone is installed: \(path("phone"))\n"))
      let lines = try text("phone").split(separator: "\n").map(String.init)
      #expect(
        lines.dropLast() == [
          "--mode voip,audio", "--keep-alive 600", "--wake-on 5060", "--linger 2.5", "--scheme sip",
          "--scheme sips", "--env 'A=b c'", "--stdin open",
        ])
      #expect(lines.last?.wholeMatch(of: /-- \/.*\/sh -c 'echo it'\\''s' --mode/) != nil, "\(lines)")
      let mode = try ConnectedChild(["stat", "-c", "%a", path("phone")], environment: [])
      #expect(try mode.output.untilEnd() == "600\n")
    }

    /// What `lull install` and `lull doctor` say of the start of the machine, and what mends it.
    private func atBoot(_ variables: [String]) throws -> (install: [Substring], doctor: [Substring]) {
      let environment = environment + ["LULL_SYSTEM_ROOT=\(folder.path)"] + variables
      let install = try LullProcess.run(
        ["install", "phone", "--no-start", "--replace", "--", "true"], environment: environment)
      let doctor = try LullProcess.run(["doctor"], environment: environment).output.split(separator: "\n")
      let check = doctor.drop { !$0.contains("  boot  ") }.prefix(2)
      return (install.output.split(separator: "\n").dropFirst().map { $0 }, Array(check))
    }

    @Test func `what is missing for the start of the machine is said`() throws {
      let hint = "it does not start with the machine yet: "
      let without = try atBoot([])
      #expect(without.install == ["\(hint)have \"lull daemon start\" run when the machine starts"])
      try Files.makeDirectories("\(folder.path)/run/systemd/system")
      let isRoot = Identity.uid() == 0
      let commands = isRoot ? "systemctl enable lull" : "systemctl --user enable lull; loginctl enable-linger"
      let disabled = try atBoot(["USER=me"])
      #expect(disabled.install == [Substring(hint + commands)])
      #expect(disabled.doctor.first?.hasPrefix("limited") == true, "\(disabled.doctor)")
      #expect(disabled.doctor.last?.hasSuffix("mend: \(commands)") == true, "\(disabled.doctor)")
      let unit = isRoot ? "system/multi-user.target.wants" : "user/default.target.wants"
      for file in ["etc/systemd/\(unit)/lull.service", "var/lib/systemd/linger/me"] {
        let path = "\(folder.path)/\(file)"
        try Files.makeDirectories(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
        try Files.replace(path, with: [])
      }
      let enabled = try atBoot(["USER=me"])
      #expect(enabled.install == [])
      #expect(enabled.doctor.first?.hasPrefix("yes") == true, "\(enabled.doctor)")
    }

    @Test func `a variable that names no directory is told, and the work is done`() throws {
      let variables = ["XDG_STATE_HOME=state", "XDG_CONFIG_HOME=/etc/passwd", "HOME=\(folder.path)"]
      let outcome = try LullProcess.run(
        ["install", "phone", "--no-start", "--", "true"], environment: environment + variables)
      #expect(outcome.status == .exited(0))
      let line = /lull: XDG_STATE_HOME: state does not begin with \/, so \/[^ ]* is used; .*, or unset it\n/
      #expect(outcome.errors.wholeMatch(of: line) != nil, "\(outcome.errors)")
      #expect(Files.exists(path("phone")))
    }

    @Test func `an installed program is replaced only when that is asked for`() throws {
      try write("phone", "-- /bin/false\n")
      let refused = try lull("install", "phone", "--no-start", "--", "true")
      #expect(refused.status == .exited(1))
      #expect(
        refused.errors
          == "lull: phone is installed already; give --replace, or end and remove it with "
          + "\"lull remove phone\"\n")
      #expect(try text("phone") == "-- /bin/false\n")
      let replaced = try lull("install", "phone", "--no-start", "--replace", "--", "true")
      #expect(replaced.status == .exited(0))
      #expect(try text("phone").wholeMatch(of: /-- \/.*\/true\n/) != nil)
    }

    @Test func `a name under which another program runs is refused`() throws {
      let outcome = try lull("install", "phone", "--", "true") { _, client, _ in
        for line in Samples.status { try client.say(line) }
      }
      #expect(
        outcome.errors
          == "lull: phone runs already, and is not installed; end it first (\"lull quit phone\"), or choose "
          + "another name\n")
      #expect(outcome.status == .exited(1) && !Files.exists(path("phone")))
    }

    @Test func `a word that names a file here, and none where the program begins, is told`() throws {
      try Files.makeDirectories("\(folder.path)/home")
      for name in ["here", "both", "home/both"] { try Files.replace("\(folder.path)/\(name)", with: []) }
      let outcome = try LullProcess.run(
        ["install", "phone", "--no-start", "--", "true", "./here", "both", "none", "/etc/passwd"],
        environment: environment + ["HOME=\(folder.path)/home"],
        by: ["sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path])
      #expect(
        outcome.errors
          == "lull: ./here is here, but not in the home directory, where phone begins: write its whole "
          + "path\n")
      #expect(outcome.status == .exited(0))
    }

    @Test(arguments: [
      (["phone", "--", "no-such-command-x"], 127, "no-such-command-x: command not found"),
      (["phone", "--", "/etc/passwd"], 126, "/etc/passwd: cannot be executed (Permission denied)"),
      (["phone"], 64, "install: no command; write \"lull install phone -- COMMAND\""),
      (["phone", "--keep-alive", "5", "--", "true"], 64, "--keep-alive 5: must be 600 s or more"),
      (["phone.bak", "--", "true"], 64, "phone.bak: editors name copies so; choose another name"),
      (
        ["a/b", "--", "true"], 64,
        "a/b: must be a name of 1 to 64 letters, digits, '.', '_' or '-' that starts with a letter or digit"
      ),
    ])
    func `what cannot be installed leaves nothing behind`(words: [String], status: Int32, message: String)
      throws
    {
      let outcome = try LullProcess.run(["install", "--no-start"] + words, environment: environment)
      #expect(outcome.status == .exited(status))
      #expect(outcome.errors == "lull: \(message)\n")
      #expect(!Files.exists("\(folder.path)/lull"))
    }

    @Test(arguments: [
      ("--keepalive 600\n-- /bin/true", "1: --keepalive: no such option; did you mean \"--keep-alive\"?"),
      ("\n--keep-alive 5\n-- /bin/true", "2: --keep-alive 5: must be 600 s or more"),
      ("--scheme sip\n--scheme 1\n-- /bin/true", "2: --scheme 1: must be"),
      ("--mode voip\n--silence 5\n-- /bin/true", "2: --silence: give --mode audio too"),
      ("--wake-on 5060\n--ignore 5060\n-- /bin/true", "2: --ignore 5060: --wake-on names port 5060 too"),
      ("--stdin ajar\n-- /bin/true", "1: --stdin ajar: must be empty or open"),
      ("--tty\n--stdin open\n-- /bin/true", "2: --stdin: the input of a program with --tty is its terminal"),
      ("--output log\n-- /bin/true", "1: --output log: must be a path that begins with /"),
      ("--no-start\n-- /bin/true", "1: --no-start: only for \"lull install\", and not for a file; take it"),
      ("--tty\n--replace\n-- /bin/true", "2: --replace: only for \"lull install\", and not for a file"),
      ("--env =x\n-- /bin/true", "1: --env =x: must be NAME=VALUE"),
      ("--tty\n-- bin/true", "2: bin/true: write a path that begins with /"),
      ("--tty\n-- /no/such", "2: /no/such: no such command; is it installed, and is the path right?"),
      ("-- /etc/passwd", "1: /etc/passwd: cannot be executed (Permission denied)"),
    ])
    func `list and start tell an error with its line`(text: String, message: String) throws {
      try write("phone", text)
      let list = try lull("list", "--json", script: Scripts.idle)
      #expect(list.status == .exited(0))
      let error = "\(path("phone")):\(message)"
      let quoted = error.replacing("\"", with: "\\\"").replacing("/", with: "\\/")
      let plain = list.output.replacing("\\/", with: "/").replacing("/", with: "\\/")
      #expect(plain.contains("\"error\" : \"\(quoted)"), "\(list.output)")
      let start = try lull("start", "phone")
      #expect(start.status == .exited(1))
      #expect(start.errors.hasPrefix("lull: \(error)"), "\(start.errors)")
      #expect(start.requests.isEmpty)
    }

    @Test(arguments: [
      (
        "--keepalive 600\n--linger soon\n--mode x\n-- /no/such",
        ["1: --keepalive: no such", "2: --linger soon: must", "3: --mode x: each", "4: /no/such: no"]
      ),
      // What may follow from the first error is not told beside it.
      ("--mode x\n--silence 5\n--scheme 1\n-- /bin/true", ["1: --mode x: each", "3: --scheme 1: must be"]),
    ])
    func `each line's error is told`(text: String, starts: [String]) throws {
      try write("phone", text)
      let list = try lull("list", script: Scripts.idle)
      let told = list.output.split(separator: "\n").filter { $0.hasPrefix(path("phone")) }
      #expect(told.count == starts.count, "\(list.output)")
      for (line, start) in zip(told, starts) {
        #expect(line.hasPrefix("\(path("phone")):\(start)"), "\(line)")
      }
      let outcome = try lull("start", "phone")
      #expect(outcome.errors == told.map { "lull: \($0)\n" }.joined())
      let why = try lull("why", "phone") { request, client, _ in
        guard case .why = request else {
          return try client.say("error code=no-such-program message=none")
        }
        try client.say("item kind=installed name=phone state=ended", "ok count=1")
      }
      for line in told { #expect(why.output.contains(line), "\(why.output)") }
    }

    @Test func `list shows what the daemon says`() throws {
      #expect(try lull("list", script: Scripts.idle).output.hasPrefix("No program is installed; "))
      try write("music", "-- /bin/true 'a b'\n")
      for name in ["nap", "once", "phone"] { try write(name, "-- /bin/true\n") }
      let outcome = try lull("list") { _, client, _ in
        try client.say(
          "item kind=installed name=music state=waiting cause=crash restarts=3 dueInSeconds=4",
          "item kind=installed name=nap state=ended starters=url schemes=sip",
          "item kind=installed name=once state=ended",
          "item kind=installed name=phone state=quit restarts=0", "ok count=4")
      }
      #expect(outcome.requests == [.installed()])
      let rows = outcome.output.split(separator: "\n").map { $0.split(separator: "  ").map { $0.trimmed } }
      #expect(
        rows == [
          ["NAME", "STATE", "NEXT", "COMMAND"], ["music", "waiting", "in 4 s (crash)", "/bin/true 'a b'"],
          ["nap", "ended", "for a link (sip)", "/bin/true"],
          ["once", "ended", "when lulld starts", "/bin/true"],
          ["phone", "quit", "not until \"lull start\"", "/bin/true"],
        ])
    }

    @Test func `the daemon has begun before the file of a new program is there`() throws {
      var wasThere: [Bool] = []
      let outcome = try lull("install", "phone", "--", "true") { request, client, _ in
        wasThere.append(Files.exists(path("phone")))
        guard case .installed = request else {
          return try client.say("error code=no-such-program message=none")
        }
        try client.say("item kind=installed name=phone state=ended", "ok count=1")
      }
      #expect(outcome.status == .exited(0), "\(outcome)")
      #expect(wasThere.first == false && wasThere.last == true)
    }

    @Test func `a script whose interpreter is gone is told with it`() throws {
      let script = "\(folder.path)/script"
      try Files.replace(script, with: Array("#! /no/such/shell -e\necho\n".utf8))
      #expect(try ConnectedChild(["chmod", "+x", script], environment: []).end() == .exited(0))
      let error =
        "\(script): its first line (#!) asks for /no/such/shell, which cannot be executed (No such file or "
        + "directory); install that, or mend the line\n"
      let install = try lull("install", "phone", "--no-start", "--", script)
      #expect(install.errors == "lull: \(error)")
      #expect(install.status == .exited(127))
      try write("phone", "--tty\n-- \(script)\n")
      #expect(try lull("start", "phone").errors == "lull: \(path("phone")):2: \(error)")
    }

    @Test func `start has the daemon start it, and waits until it runs`() throws {
      try write("phone", "-- /bin/true\n")
      var asked = 0
      let outcome = try lull("start", "phone") { request, client, _ in
        switch request {
        case .installed(_, let start):
          asked += 1
          #expect(start == (asked == 1))
          let state = asked < 3 ? "starting" : "running"
          try client.say("item kind=installed name=phone state=\(state)", "ok count=1")
        case .status where asked == 0: try client.say("error code=no-such-program message=none")
        default: for line in Samples.status { try client.say(line) }
        }
      }
      #expect(outcome.errors == "")
      #expect(outcome.output.hasPrefix("phone (pid "))
    }

    @Test func `a start that fails tells why and what comes next`() throws {
      try write("phone", "-- /bin/true\n")
      let outcome = try lull("start", "phone") { request, client, _ in
        guard case .installed = request else {
          return try client.say("error code=no-such-program message=none")
        }
        try client.say(
          "item kind=installed name=phone state=failed dueInSeconds=2 text=\"exit status 1\"", "ok count=1")
      }
      #expect(outcome.status == .exited(1))
      #expect(outcome.errors == "lull: phone cannot be started: exit status 1; next try in 2 s\n")
    }

    @Test(arguments: [
      ("status=3 reason=crashed", "waiting cause=crash restarts=1 dueInSeconds=1", "in 1 s (crash)"),
      ("status=0 reason=exited", "ended starters=url schemes=sip", "for a link (sip)"),
    ])
    func `a program that ends at once is told with what starts it again`(
      end: String, state: String, next: String
    ) throws {
      try write("phone", "-- /bin/true\n")
      let outcome = try lull("start", "phone") { request, client, _ in
        switch request {
        case .installed: try client.say("item kind=installed name=phone state=\(state)", "ok count=1")
        case .status(_, all: true):
          try client.say(Samples.daemon, "item kind=ended name=phone at=9000000000 \(end)", "ok count=2")
        default: try client.say("error code=no-such-program message=none")
        }
      }
      let status = try #require(end.split(separator: " ").first?.dropFirst("status=".count))
      #expect(
        outcome.errors
          == "lull: phone ended at once (exit status \(status)); started again \(next); "
          + "see \"lull logs phone\"\n")
      #expect(outcome.output == (status == "0" ? "phone\n" : ""))
      #expect(outcome.status == .exited(status == "0" ? 0 : 1))
    }

    @Test func `remove ends a program first, and keeps the file when it does not end`() throws {
      try write("phone", "-- /bin/true\n")
      let refused = try lull("remove", "phone") { request, client, _ in
        guard case .quit = request else {
          for line in Samples.status { try client.say(line) }
          return
        }
        try client.say("error code=busy message=\"not now\"")
      }
      #expect(refused.status == .exited(1))
      #expect(Files.exists(path("phone")))
      let removed = try lull("remove", "phone", script: Scripts.idle)
      #expect(removed.output == "phone is removed\n")
      #expect(!Files.exists(path("phone")))
      let missing = try lull("remove", "phone")
      #expect(missing.errors == "lull: phone is not installed; \"lull list\" shows what is\n")
      #expect(missing.status == .exited(1))
    }

    @Test func `why tells how a program ended and what comes next`() throws {
      let outcome = try lull("why", "phone") { request, client, _ in
        guard case .why = request else {
          return try client.say("error code=no-such-program message=none")
        }
        try client.say(
          "item kind=ended name=phone at=1767348672 signal=11 reason=crashed",
          "item kind=installed name=phone state=waiting cause=crash restarts=1 dueInSeconds=1", "ok count=2")
      }
      #expect(
        outcome.output
          == "phone: crashed (SIGSEGV) at 2026-01-02 10:11:12\n"
          + "has crashed once; started again in 1 s; see \"lull logs phone\"\n")
    }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

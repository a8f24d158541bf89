import LullSystem
import LullWire
import TestSupport
import Testing

/// What `lull list` and `lull doctor` say of the files of installed programs.
extension LullProcessTests {
  @Suite struct List {
    private let folder: TemporaryDirectory
    private var environment: [String] { ["LULL_CONFIG_DIR=\(folder.path)/lull"] }

    init() throws {
      folder = try TemporaryDirectory()
      try Files.makeDirectories("\(folder.path)/lull/programs")
    }

    private func path(_ name: String) -> String { "\(folder.path)/lull/programs/\(name)" }

    private func write(_ name: String, _ text: String = "-- /bin/true\n") throws {
      try Files.replace(path(name), with: Array(text.utf8))
    }

    private func shell(_ words: String...) throws {
      #expect(try Child(SpawnRequest(words)).end() == .exited(0))
    }

    private func lull(_ words: String..., script: Script? = nil) throws -> Outcome {
      try LullProcess.run(words, environment: environment + ["COLUMNS=200"], script: script)
    }

    private func rows(_ outcome: Outcome) -> [Substring] { outcome.output.split(separator: "\n") }

    @Test func `NEXT says nothing of what runs, and that an error must be mended`() throws {
      for name in ["a", "b"] { try write(name) }
      for name in ["c", "d"] { try write(name, "--mode x\n-- /bin/true") }
      let outcome = try lull("list") { _, client, _ in
        try client.say(
          "item kind=installed name=a state=running cause=data", "item kind=installed name=b state=starting",
          "item kind=installed name=c state=running cause=boot",
          "item kind=installed name=d state=waiting cause=crash dueInSeconds=4", "ok count=4")
      }
      let columns = rows(outcome).prefix(5).map { $0.matches(of: /\S+(?: \S+)*/).map { String($0.output) } }
      #expect(
        columns == [
          ["NAME", "STATE", "NEXT", "COMMAND"], ["a", "running", "-", "/bin/true"],
          ["b", "starting", "-", "/bin/true"],
          ["c", "running", "not before the error is mended", "-"],
          ["d", "misconfigured", "not before the error is mended", "-"],
        ])
      #expect(rows(outcome).dropFirst(5).allSatisfy { $0.contains(":1: --mode x: ") })
    }

    @Test func `what runs has the state that the status has`() throws {
      for name in ["a", "b"] { try write(name) }
      let outcome = try lull("list") { request, client, _ in
        guard case .installed = request else {
          return try client.say(
            Samples.program(state: "suspended").replacing("name=prog", with: "name=a"), "ok count=1")
        }
        try client.say(
          "item kind=installed name=a state=running cause=boot", "item kind=installed name=b state=ended",
          "ok count=2")
      }
      #expect(outcome.requests == [.installed(), .status(name: nil)])
      #expect(rows(outcome)[1].hasPrefix("a     suspended  - "), "\(outcome.output)")
      #expect(rows(outcome)[2].hasPrefix("b     ended "), "\(outcome.output)")
    }

    @Test(arguments: [
      ("detail=\"No space left on device\"", "No space left on device"), ("waiting", "it is being written"),
    ])
    func `what was quit is told not to be on the disk`(field: String, why: String) throws {
      try write("phone")
      for json in [[], ["--json"]] {
        let outcome = try LullProcess.run(["list"] + json, environment: environment + ["COLUMNS=200"]) {
          _, client, _ in
          try client.say("item kind=installed name=phone state=quit \(field)", "ok count=1")
        }
        guard json.isEmpty else {
          #expect(outcome.output.contains("\"unwritten\" : \"\(why)\""), "\(outcome.output)")
          continue
        }
        let next = "not until \"lull start\"; not on the disk: \(why)"
        #expect(rows(outcome)[1].hasPrefix("phone  quit   \(next) "), "\(outcome.output)")
      }
    }

    @Test func `an installed program that never ran is started, and not started again`() throws {
      try write("phone")
      let logs = try lull("logs", "phone")
      #expect(logs.errors == "lull: phone does not run; \"lull start phone\" starts it\n")
    }

    @Test func `to quit what does not run tells that, and how it is started`() throws {
      try write("phone")
      let outcome = try lull("quit", "phone") { request, client, _ in
        guard case .quit = request else {
          return try client.say("item kind=installed name=phone state=quit", "ok count=1")
        }
        try client.say("ok state=notRunning", "event ended name=phone")
      }
      #expect(
        outcome.output == "phone does not run, and is not started again until \"lull start phone\"\n",
        "\(outcome)")
    }

    @Test func `what is passed over is told in one line, with the reason`() throws {
      for name in ["phone", "bad name", "x~", ".x.swp"] { try write(name) }
      try Files.makeDirectories(path("sub"))
      let line =
        "passed over: \"bad name\" (no program can have this name); .x.swp, x~ (copies of an editor or "
        + "packager); sub (a folder)"
      let list = try lull("list") { _, client, _ in try client.say("ok count=0") }
      #expect(rows(list).dropFirst(2) == [line[...]])
      let doctor = try lull("doctor")
      let lines = rows(doctor).map { String($0) }
      let index = try #require(lines.firstIndex { $0.hasSuffix("  " + line) }, "\(doctor.output)")
      #expect(lines[index].hasPrefix("limited  installed  "))
      #expect(lines[index + 1].contains("mend: give it a name of letters, digits, '.', '_' and '-', or "))
    }

    @Test func `a folder with copies alone is in order`() throws {
      for name in ["x~", "#y#", "z.dpkg-old"] { try write(name) }
      let line = "passed over: #y#, x~, z.dpkg-old (copies of an editor or packager)"
      let list = try lull("list", script: Scripts.idle)
      #expect(
        list.output
          == "No program is installed; \"lull install NAME -- COMMAND\" installs one.\n\(line)\n")
      let doctor = try lull("doctor")
      #expect(rows(doctor).contains { $0.hasPrefix("yes      installed ") && $0.hasSuffix(line) })
    }

    @Test(arguments: [
      (["mkfifo"], "a named pipe, and no file"),
      (["ln", "-s", "/nowhere/at/all"], "a link that leads nowhere"),
      (["ln", "-s", "/dev/null"], "a device, and no file"),
    ])
    func `what is no file is told by its kind, and can be removed`(words: [String], kind: String) throws {
      let message = "\(path("phone")): \(kind); \"lull remove phone\" removes it"
      #expect(try Child(SpawnRequest(words + [path("phone")])).end() == .exited(0))
      #expect(try rows(lull("list", script: Scripts.idle)).contains(message[...]))
      #expect(try lull("start", "phone").errors == "lull: \(message)\n")
      let lines = try rows(lull("doctor"))
      let index = try #require(lines.firstIndex { $0.hasSuffix(message) }, "\(lines)")
      #expect(lines[index + 1].hasSuffix(" mend: lull remove phone"))
      #expect(try lull("remove", "phone", script: Scripts.idle).output == "phone is removed\n")
      #expect(!Files.exists(path("phone")))
    }

    @Test func `a folder of the name of a program is told when the program is started`() throws {
      try Files.makeDirectories(path("phone"))
      let start = try lull("start", "phone")
      #expect(start.errors.hasPrefix("lull: \(path("phone")): a folder, and no file; take it away ("))
      #expect(try lull("remove", "phone").errors.hasPrefix("lull: \(path("phone")): a folder, and no file; "))
      let install = try lull("install", "phone", "--no-start", "--", "true")
      #expect(install.errors.hasPrefix("lull: \(path("phone")): a folder, and no file; "))
    }

    @Test func `a folder that cannot be read is told by list and doctor`() throws {
      try shell("rmdir", "\(folder.path)/lull/programs")
      try Files.replace("\(folder.path)/lull/programs", with: [])
      let list = try lull("list")
      #expect(list.errors.hasSuffix("/lull/programs: cannot be read (Not a directory)\n"))
      #expect(try lull("doctor").output.contains("/lull/programs: cannot be read (Not a directory)"))
    }
  }
}

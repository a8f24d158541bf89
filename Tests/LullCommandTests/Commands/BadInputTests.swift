import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// A command line that asks a daemon, with the answer of a daemon that grants it.
struct Asking: CustomStringConvertible {
  let words: [String]
  let answer: [String]

  var description: String { words.joined(separator: " ") }

  /// The index of the program's name among the words.
  var nameIndex: Int? { words.firstIndex(of: "phone") }

  /// Those that bring a program into a state, or to its end.
  static let control = [
    ("wake", ["ok state=background"]), ("suspend", ["ok state=suspended"]),
    ("foreground", ["ok state=active"]), ("background", ["ok state=background"]),
    ("quit", ["ok state=background remainingSeconds=5", "event ended name=phone at=5 status=0"]),
    ("stop", ["ok state=background remainingSeconds=5", "event ended name=phone at=5 signal=15"]),
  ].map { Asking(words: [$0, "phone"], answer: $1) }

  /// Every command that asks a daemon.
  static let all =
    control + [
      .init(words: ["status"], answer: Samples.status),
      .init(words: ["status", "phone"], answer: Samples.status),
      .init(words: ["why", "phone"], answer: Samples.status),
      .init(words: ["lines", "phone"], answer: ["ok count=0"]),
      .init(words: ["log"], answer: ["item kind=entry at=1 program=phone what=woke", "ok count=1"]),
      .init(
        words: ["wakes", "phone"],
        answer: ["item kind=entry at=1 program=phone what=woke cause=data", "ok count=1"]),
      .init(words: ["notifications"], answer: ["ok count=0"]),
      .init(words: ["answer", "3", "default"], answer: ["ok name=phone"]),
      .init(words: ["signal", "phone", "HUP"], answer: ["ok"]),
      .init(words: ["sound"], answer: Samples.status),
      .init(words: ["sound", "route", "phone", "default"], answer: ["ok count=1"]),
    ]

  /// Those that name a program.
  static let naming = all.filter { $0.nameIndex != nil }

  func named(_ name: String) -> [String] {
    var words = words
    if let nameIndex { words[nameIndex] = name }
    return words
  }
}

extension LullProcessTests {
  @Suite struct BadInput {
    /// One line of at most 80 columns.
    private func expectLine(_ outcome: Outcome, _ text: String, status: Int32 = 1) {
      #expect(outcome.status == .exited(status))
      #expect(outcome.output == "")
      #expect(outcome.errors == text + "\n")
      #expect(text.count <= 80)
    }

    /// A file on which every write fails with ENOSPC.
    private static func fullDisk() throws -> DescriptorBox {
      let raw = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
      try #require(raw >= 0)
      return DescriptorBox(Descriptor(owning: raw))
    }

    private func granting(_ asking: Asking) -> Script {
      { _, client, _ in for line in asking.answer { try client.say(line) } }
    }

    @Test(arguments: Asking.naming)
    func `an unknown name is one line`(asking: Asking) throws {
      let refusal = #"error code=no-such-program message="no program \"phone\"; see `lull list`""#
      let outcome = try LullProcess.run(asking.words) { _, client, _ in try client.say(refusal) }
      expectLine(outcome, #"lull: no program "phone"; see `lull list`"#)
    }

    @Test(arguments: Asking.naming)
    func `what can be no name is one line, and no daemon is asked`(asking: Asking) throws {
      let outcome = try LullProcess.run(asking.named("a b\u{1B}"), script: granting(asking))
      expectLine(outcome, #"lull: no program can be called "a b\u{1B}"; "lull status" lists them"#)
      #expect(outcome.requests == [])
      let long = try LullProcess.run(
        asking.named(String(repeating: "a", count: 5000)), script: granting(asking))
      #expect(long.errors.hasPrefix("lull: no program can be called \"aaaa"))
      #expect(long.errors.hasSuffix("aaa...\"; \"lull status\" lists them\n"))
    }

    @Test(arguments: [
      ("attach", #"no detached program "p"; see "lull status" and "lull list""#),
      ("logs", #"no detached program "p"; see "lull status" and "lull list""#),
      ("start", #"no program "p" to start; "lull list" lists them, "lull install" adds one"#),
      ("restart", #"no program "p" to start; "lull list" lists them, "lull install" adds one"#),
      ("remove", #"p is not installed; "lull list" shows what is"#),
      ("forget", #"nothing is left of p; "lull logs" and "lull start" know no such program"#),
    ])
    func `a name that nothing has is one line`(command: String, message: String) throws {
      let environment = ["XDG_STATE_HOME=/nonexistent", "LULL_CONFIG_DIR=/nonexistent"]
      let unknown = try LullProcess.run([command, "p"], environment: environment, script: Scripts.idle)
      expectLine(unknown, "lull: " + message)
      let outcome = try LullProcess.run([command, "a b\u{1B}"], environment: environment)
      expectLine(outcome, #"lull: no program can be called "a b\u{1B}"; "lull status" lists them"#)
    }

    @Test(arguments: Asking.control)
    func `what cannot be written keeps no other program from its turn`(asking: Asking) throws {
      let full = try Self.fullDisk()
      let outcome = try LullProcess.run(asking.words + ["b"], output: full.raw) { request, client, _ in
        let name = try #require(request.message()[.name])
        for line in asking.answer { try client.say(line.replacing("name=phone", with: "name=\(name)")) }
      }
      withExtendedLifetime(full) {}
      expectLine(outcome, "lull: the output cannot be written: No space left on device")
      #expect(outcome.requests.compactMap { $0.message()[.name] } == ["phone", "b"])
    }

    @Test(arguments: Asking.all)
    func `no daemon is one line`(asking: Asking) throws {
      let outcome = try LullProcess.run(asking.words)
      #expect(outcome.status == .exited(1))
      #expect(outcome.errors.split(separator: "\n").count == 1)
      #expect(outcome.errors.hasPrefix("lull: no daemon"))
    }

    @Test(arguments: Asking.all)
    func `a daemon of another version is told, and does what it is asked`(asking: Asking) throws {
      let usual = try LullProcess.run(asking.words, script: granting(asking))
      #expect(usual.status == .exited(0))
      #expect(usual.errors == "")
      let outcome = try LullProcess.run(asking.words, version: "9.9.9", script: granting(asking))
      #expect(outcome.status == .exited(0))
      #expect(outcome.output == usual.output)
      #expect(
        outcome.errors == "lull: lulld is version 9.9.9, not 0.1.0: \"lull daemon upgrade\" replaces it\n")
    }

    @Test(arguments: Asking.all)
    func `a daemon of another version that does not know the request is one line`(asking: Asking) throws {
      let refusal = #"error code=unknown-verb message="unknown verb""#
      let outcome = try LullProcess.run(asking.words, version: "9.9.9") { _, client, _ in
        try client.say(refusal)
      }
      #expect(outcome.status == .exited(1))
      #expect(
        outcome.errors
          == "lull: they misunderstand each other: lulld is version 9.9.9, not 0.1.0: end it (kill 42), "
          + "run lull again\n")
    }

    @Test(arguments: Asking.all.filter { $0.words[0] != "signal" })
    func `an output that cannot be written is one line`(asking: Asking) throws {
      let full = try Self.fullDisk()
      let outcome = try LullProcess.run(asking.words, output: full.raw, script: granting(asking))
      withExtendedLifetime(full) {}
      expectLine(outcome, "lull: the output cannot be written: No space left on device")
    }

    @Test(arguments: Asking.all.filter { $0.words[0] != "signal" })
    func `an output that is closed is one line, and nothing goes to the daemon`(asking: Asking) throws {
      let outcome = try LullProcess.run(
        asking.words, by: ["sh", "-c", #"exec "$0" "$@" >&-"#], script: granting(asking))
      expectLine(outcome, "lull: the output cannot be written: standard output is closed")
    }

    @Test(arguments: [
      ["--help"], ["--version"], ["run", "--help"], ["run", "--version"], ["keep", "--version"],
      ["--generate-completion-script", "bash"],
    ])
    func `help that cannot be written is one line`(words: [String]) throws {
      let full = try Self.fullDisk()
      let outcome = try LullProcess.run(words, output: full.raw)
      withExtendedLifetime(full) {}
      expectLine(outcome, "lull: the output cannot be written: No space left on device")
    }

    @Test func `a reader that has gone is no failure to talk about`() throws {
      let asking = Asking.all[0]
      let (gone, ours) = try UnixSocket.pair()
      gone.close()
      let outcome = try LullProcess.run(
        asking.words, output: ours.raw, by: ["sh", "-c", #"trap "" PIPE; exec "$0" "$@""#],
        script: granting(asking))
      #expect(outcome.status == .exited(128 + Signal.pipe))
      #expect(outcome.errors == "")
    }
  }
}

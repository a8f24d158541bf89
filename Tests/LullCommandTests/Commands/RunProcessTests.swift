import LullModel
import LullSystem
import LullWire
import Testing

extension LullProcessTests {
  @Suite struct Run {
    /// Answers the requests that start the command; the test answers the rest.
    private func daemon(_ rest: @escaping Script) -> Script {
      { request, client, descriptor in
        switch request {
        case .command, .ended: try client.say("ok")
        case .run: try client.say("ok name=prog")
        case .started: try client.say("ok name=prog pid=1")
        default: try rest(request, client, descriptor)
        }
      }
    }

    @Test func `the words are handed over, and lull is the parent of the command`() throws {
      var bytes: [UInt8] = []
      var parent: Int32?
      let script = "echo $LULL_TEST; printf '%s|' \"$@\"; exit 7"
      let outcome = try LullProcess.run(
        ["run", "--", "sh", "-c", script, "sh", "--help", "--", ""], environment: ["LULL_TEST=1"],
        script: { request, client, descriptor in
          switch request {
          case .command: bytes = try Files.readMemoryFile(#require(descriptor).raw, limit: 1 << 20)
          case .started:
            let pidfd = try #require(descriptor)
            let child = try #require(try Process.number(of: pidfd.raw))
            parent = try Process.parentPid(of: child) == client.pid ? client.pid : nil
          default: break
          }
          try daemon { _, _, _ in }(request, client, descriptor)
        })
      let status = ExitStatus.exited(7)
      #expect(
        outcome.requests == [
          .command(arguments: 7), .run(Request.Run()), .started, .ended(name: "prog", status),
        ])
      let words = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      #expect(
        words.map { String(decoding: $0, as: UTF8.self) } == ["sh", "-c", script, "sh", "--help", "--", ""])
      #expect(parent != nil)
      #expect(outcome.output == "1\n--help|--||")
      #expect(outcome.errors == "")
      #expect(outcome.status == status)
    }

    @Test func `the options go into the request`() throws {
      let outcome = try LullProcess.run(
        [
          "run", "--name", "n", "--mode", "voip,audio", "--keep-alive", "600", "--batch-wakes", "0.5", "true",
          "--detach",
        ],
        script: daemon { _, client, _ in try client.say("ok") })
      #expect(outcome.status == .exited(0))
      #expect(
        outcome.requests.prefix(2) == [
          .command(arguments: 2),
          .run(
            Request.Run(
              name: "n",
              .init {
                ($0.modes, $0.keepAlive) = ([.voip, .audio], .seconds(600))
                $0.batchWakes = .milliseconds(500)
              })),
        ])
    }

    @Test(arguments: [("nosuch-command", Int32(127)), ("/etc/passwd", 126)])
    func `a command that cannot be executed is one line and the shells' status`(word: String, status: Int32)
      throws
    {
      let outcome = try LullProcess.run(["run", "--", word], script: daemon { _, _, _ in })
      #expect(outcome.status == .exited(status))
      #expect(outcome.errors.hasPrefix("lull: \(word): "))
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["run", "started"])
    func `what the daemon refuses is one line, and the command does not run`(verb: String) throws {
      let outcome = try LullProcess.run(
        ["run", "--", "echo", "ran"],
        script: { request, client, descriptor in
          guard request.verb.rawValue == verb else {
            return try daemon { _, _, _ in }(request, client, descriptor)
          }
          try client.say("error code=name-in-use message=\"it went wrong\"")
        })
      #expect(outcome.status == .exited(1))
      #expect(outcome.output == "")
      #expect(outcome.errors == "lull: it went wrong\n")
    }

    /// Kills the child of `lull`.
    private func killChild(of client: FakeClient) throws {
      for child in try Process.children(of: client.pid) { try Process.kill(child, Signal.kill) }
    }

    @Test(arguments: [
      Signal.interrupt, Signal.terminate, Signal.hangUp, Signal.quit, Signal.user1, Signal.user2,
      Signal.windowChange, Signal.terminalStop, Signal.continue,
    ])
    func `a signal to lull alone is passed on, and lull ends by the signal that ended the command`(
      signal: Int32
    ) throws {
      let outcome = try LullProcess.run(
        ["run", "--", "sleep", "1000"],
        script: { request, client, descriptor in
          guard case .signal = request else {
            try daemon { _, _, _ in }(request, client, descriptor)
            if request == .started { try Process.kill(client.pid, signal) }
            return
          }
          try client.say("ok")
          try killChild(of: client)
        })
      #expect(outcome.requests.contains(.signal(name: "prog", number: signal)))
      #expect(outcome.requests.last == .ended(name: "prog", .signaled(Signal.kill)))
      #expect(outcome.status == .signaled(Signal.kill))
    }

    @Test func `a daemon that was restarted is attached to again`() throws {
      var attempts = 0
      let outcome = try LullProcess.run(
        ["run", "--", "sleep", "1000"],
        script: { request, client, descriptor in
          guard case .attach = request else {
            try daemon { _, _, _ in }(request, client, descriptor)
            if request == .started { client.close() }
            return
          }
          attempts += 1
          // First the daemon has not found the program yet, then it is killed once more.
          switch attempts {
          case 1: try client.say("error code=no-such-program message=\"not yet\"")
          case 2: client.close()
          default:
            try client.say("ok name=prog pid=77")
            try killChild(of: client)
          }
        })
      #expect(outcome.requests.filter { $0 == .attach(name: "prog") }.count == 3)
      #expect(outcome.requests.last == .ended(name: "prog", .signaled(Signal.kill)))
      #expect(outcome.errors == "")
      #expect(outcome.status == .signaled(Signal.kill))
    }

    @Test func `a command that ends while no daemon knows it is told by its status`() throws {
      let outcome = try LullProcess.run(
        ["run", "--", "sh", "-c", "sleep 0.1; exit 3"],
        script: { request, client, descriptor in
          guard case .attach = request else {
            try daemon { _, _, _ in }(request, client, descriptor)
            if request == .started { client.close() }
            return
          }
          try client.say("error code=no-such-program message=\"no program is called prog\"")
        })
      #expect(outcome.errors == "")
      #expect(outcome.status == .exited(3))
    }

    @Test func `a command that the next daemon knows is not handed over, and its end is told once`() throws {
      let outcome = try LullProcess.run(
        ["run", "--", "sh", "-c", "sleep 0.1; exit 3"],
        script: { request, client, descriptor in
          if case .attach = request { return try client.say("ok name=prog pid=77") }
          try daemon { _, _, _ in }(request, client, descriptor)
          if request == .started { client.close() }
        })
      #expect(
        outcome.requests == [
          .command(arguments: 3), .run(Request.Run()), .started, .attach(name: "prog"),
          .ended(name: "prog", .exited(3)),
        ])
      #expect(outcome.ledger == [])
      #expect(outcome.status == .exited(3))
    }

    @Test func `an end that no daemon hears of is written to the ledger, with the process`() throws {
      var child: ProcessIdentity?
      let outcome = try LullProcess.run(
        ["run", "--", "sh", "-c", "sleep 0.1; exit 3"],
        script: { request, client, descriptor in
          // The next daemon takes its programs back as long as the command runs.
          guard request != .attach(name: "prog") else { return }
          try daemon { _, _, _ in }(request, client, descriptor)
          guard request == .started, let pidfd = descriptor else { return }
          child = try ProcessIdentity.current(#require(try Process.number(of: pidfd.raw)))
          client.close()
        })
      #expect(outcome.ledger.count == 1)
      guard case .exited(let end)? = outcome.ledger.first else {
        Issue.record("\(outcome.ledger)")
        return
      }
      #expect(end.name == "prog" && end.status == .exited(3))
      #expect(end.process?.pid == child?.pid && end.process?.start == child?.start && child != nil)
      #expect(outcome.errors == "" && outcome.status == .exited(3))
    }

    @Test func `a daemon whose words cannot be read ends neither lull nor its command`() throws {
      let outcome = try LullProcess.run(
        ["run", "--", "sh", "-c", "sleep 0.1; exit 3"],
        script: { request, client, descriptor in
          guard case .attach = request else {
            try daemon { _, _, _ in }(request, client, descriptor)
            if request == .started { try client.say("event \"") }
            return
          }
          try client.say("ok \"")
        })
      #expect(outcome.errors == "")
      #expect(outcome.status == .exited(3))
    }
  }
}

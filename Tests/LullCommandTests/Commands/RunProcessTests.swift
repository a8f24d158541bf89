import LullSystem
import LullWire
import Testing

extension LullProcessTests {
  @Suite struct Run {
    /// Answers `ok` to the requests that hand over the command; the test answers the rest.
    private func daemon(_ rest: @escaping Script) -> Script {
      { request, client, descriptor in
        switch request {
        case .stdio, .directory, .command: try client.say("ok")
        default: try rest(request, client, descriptor)
        }
      }
    }

    @Test func `stdio, directory and command are handed over before run`() throws {
      var bytes: [UInt8] = []
      let outcome = try LullProcess.run(
        ["run", "--", "prog", "-x", "--help", "--", ""], environment: ["LULL_TEST=1"]
      ) { request, client, descriptor in
        switch request {
        case .stdio(let number):
          let stream = try #require(descriptor)
          if number == 1 { try StandardStreams.write(Array("from the program\n".utf8), to: stream.raw) }
          try client.say("ok")
        case .directory:
          let own = try Files.openDirectory(".")
          #expect(try FileIdentity.of(#require(descriptor).raw) == FileIdentity.of(own.raw))
          try client.say("ok")
        case .command:
          bytes = try Files.readMemoryFile(#require(descriptor).raw, limit: 1 << 20)
          try client.say("ok")
        default: try client.say("ok name=prog pid=77", "event exited name=prog status=7")
        }
      }
      #expect(
        outcome.requests == [
          .stdio(number: 0), .stdio(number: 1), .stdio(number: 2), .directory, .command(arguments: 5),
          .run(Request.Run()),
        ])
      let strings = bytes.split(separator: 0, omittingEmptySubsequences: false)
      #expect(
        strings.prefix(5).map { String(decoding: $0, as: UTF8.self) } == ["prog", "-x", "--help", "--", ""])
      #expect(strings.dropFirst(5).contains { $0.elementsEqual("LULL_TEST=1".utf8) })
      #expect(bytes.last == 0)
      #expect(outcome.output == "from the program\n")
      #expect(outcome.errors == "")
      #expect(outcome.status == .exited(7))
    }

    @Test func `the options go into the request`() throws {
      let outcome = try LullProcess.run(
        [
          "run", "--name", "n", "--mode", "voip,audio", "--keep-alive", "600", "--batch-wakes", "0.5", "prog",
          "--detach",
        ],
        script: daemon { _, client, _ in try client.say("ok name=n pid=77", "event exited name=n status=0") })
      #expect(outcome.status == .exited(0))
      #expect(
        outcome.requests.suffix(2) == [
          .command(arguments: 2),
          .run(
            Request.Run(
              name: "n", modes: [.voip, .audio], keepAlive: .seconds(600),
              batchWakes: .milliseconds(500))),
        ])
    }

    @Test func `the options for a program that was never written for Lull go into the request`() throws {
      let outcome = try LullProcess.run(
        [
          "run", "--wake-on", "sip", "--wake-on", "5061", "--ignore", "7", "--tcp-keepalive", "120",
          "--udp-keepalive", "29.5", "--linger", "2", "--timers", "60", "--mode", "voip,audio", "--silence",
          "0.5",
          "--detach", "--", "prog", "--wake-on", "x",
        ],
        script: daemon { _, client, _ in try client.say("ok name=prog pid=77") })
      #expect(outcome.errors == "")
      #expect(
        outcome.requests.last
          == .run(
            Request.Run(
              modes: [.voip, .audio], detach: true, wakeOn: [5060, 5061], ignore: [7],
              tcpKeepAlive: .seconds(120), udpKeepAlive: .milliseconds(29500),
              linger: .seconds(2), timers: .floor(.seconds(60)),
              silence: .milliseconds(500))))
    }

    @Test func `a detached program gets an empty standard input and is not waited for`() throws {
      var input = -1
      let outcome = try LullProcess.run(
        ["run", "--detach", "--", "prog"],
        script: { request, client, descriptor in
          if request == .stdio(number: 0) {
            input = try Files.readMemoryFile(#require(descriptor).raw, limit: 1).count
          }
          try client.say("ok name=prog pid=77")
        })
      #expect(input == 0)
      #expect(outcome.requests.last == .run(Request.Run(detach: true)))
      #expect(outcome.output == "prog (pid 77)\n")
      #expect(outcome.status == .exited(0))
    }

    @Test(arguments: [
      ("not-found", Int32(127)), ("not-executable", 126), ("spawn-failed", 1), ("name-in-use", 1),
    ])
    func `a command that cannot be started is one line and the shells' status`(code: String, status: Int32)
      throws
    {
      let outcome = try LullProcess.run(
        ["run", "--", "prog"],
        script: daemon { _, client, _ in try client.say("error code=\(code) message=\"prog: it went wrong\"")
        })
      #expect(outcome.status == .exited(status))
      #expect(outcome.errors == "lull: prog: it went wrong\n")
    }

    @Test(arguments: [
      Signal.interrupt, Signal.terminate, Signal.hangUp, Signal.quit, Signal.user1, Signal.user2,
      Signal.windowChange, Signal.continue,
    ])
    func `a signal is passed on, and one that ends the program is 128 more`(signal: Int32) throws {
      let outcome = try LullProcess.run(
        ["run", "--", "prog"],
        script: daemon { request, client, _ in
          guard case .signal = request else {
            try client.say("ok name=prog pid=77")
            return try Process.kill(client.pid, signal)
          }
          try client.say("event exited name=prog signal=\(signal)", "ok")
        })
      #expect(outcome.requests.last == .signal(name: "prog", number: signal))
      #expect(outcome.status == .exited(128 + signal))
    }

    /// Runs `lull run`, stops it once and continues it, with a program that is in `state` then.
    private func stopAndContinue(_ state: String) throws -> Outcome {
      try LullProcess.run(
        ["run", "--", "prog"],
        script: daemon { request, client, _ in
          switch request {
          case .run:
            try client.say("ok name=prog pid=77")
            try Process.kill(client.pid, Signal.terminalStop)
          case .status: try client.say(Samples.daemon, Samples.program(state: state), "ok count=2")
          case .background:
            try client.say("ok state=background")
            try waitUntilStopped(client.pid)
            // SIGUSR1 waits behind SIGCONT: lull passes it on after it has checked the terminal.
            try Process.kill(client.pid, Signal.user1)
            try Process.kill(client.pid, Signal.continue)
          case .foreground: try client.say("ok state=active")
          default: try client.say("ok", "event exited name=prog status=0")
          }
        })
    }

    @Test(arguments: ["active", "inactive"])
    func `after a stop and a continue the program is in the foreground again`(state: String) throws {
      let outcome = try stopAndContinue(state)
      #expect(
        outcome.requests.suffix(5) == [
          .status(name: "prog"), .background(name: "prog"), .foreground(name: "prog"),
          .signal(name: "prog", number: Signal.user1), .signal(name: "prog", number: Signal.continue),
        ])
      #expect(outcome.status == .exited(0))
    }

    @Test(arguments: ["background", "suspended"])
    func `a program that sleeps by itself still may after a stop and a continue`(state: String) throws {
      let outcome = try stopAndContinue(state)
      #expect(
        outcome.requests.suffix(4) == [
          .status(name: "prog"), .background(name: "prog"), .signal(name: "prog", number: Signal.user1),
          .signal(name: "prog", number: Signal.continue),
        ])
      #expect(outcome.status == .exited(0))
    }

    @Test func `a daemon that was restarted is attached to again`() throws {
      var attempts = 0
      let outcome = try LullProcess.run(
        ["run", "--", "prog"],
        script: daemon { request, client, _ in
          guard case .attach = request else {
            try client.say("ok name=prog pid=77")
            return client.close()
          }
          attempts += 1
          // First the daemon has not found the program yet, then it is killed once more.
          switch attempts {
          case 1: try client.say("error code=no-such-program message=\"not yet\"")
          case 2: client.close()
          default: try client.say("ok name=prog pid=77", "event exited name=prog status=3")
          }
        })
      #expect(outcome.requests.suffix(3) == Array(repeating: .attach(name: "prog"), count: 3))
      #expect(outcome.errors == "")
      #expect(outcome.status == .exited(3))
    }

    @Test func `a program that ended while the daemon was away is told`() throws {
      let outcome = try LullProcess.run(
        ["run", "--", "prog"],
        script: daemon { request, client, _ in
          guard case .run = request else {
            return try client.say("error code=no-such-program message=\"no program is called prog\"")
          }
          try client.say("ok name=prog pid=77")
          client.close()
        })
      #expect(
        outcome.errors == "lull: prog ended while the daemon was restarted; its exit status is not known\n")
      #expect(outcome.status == .exited(1))
    }

    /// Polls until the process is stopped: no descriptor tells that to a process that is not its parent.
    private func waitUntilStopped(_ pid: Int32) throws {
      let deadline = Clock.boottime() + 5_000_000_000
      while try !Files.read("/proc/\(pid)/stat", limit: 4096).containsState(UInt8(ascii: "T")) {
        try #require(Clock.boottime() < deadline, "lull did not stop")
      }
    }
  }
}

extension [UInt8] {
  /// True when a text line of /proc/PID/stat has this state, the field behind the command's closing
  /// parenthesis.
  fileprivate func containsState(_ state: UInt8) -> Bool {
    lastIndex(of: UInt8(ascii: ")")).map { $0 + 2 < count && self[$0 + 2] == state } ?? false
  }
}

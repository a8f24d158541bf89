import LullSystem
import LullWire
import Testing

extension LullProcessTests {
  @Suite struct Run {
    /// Says `ok` to what is handed over; `run` is the test's.
    private func daemon(_ run: @escaping Script) -> Script {
      { request, client, descriptor in
        switch request {
        case .stdio, .directory, .command: try client.say("ok")
        default: try run(request, client, descriptor)
        }
      }
    }

    @Test func `stdio, directory and command are handed over, then run; the exit status is the program's`() throws {
      var bytes: [UInt8] = []
      let outcome = try LullProcess.run(
        ["run", "--name", "n", "--mode", "voip", "--keep-alive", "600", "--batch-wakes", "0.5", "--", "prog", "-x", "--", ""],
        environment: ["LULL_TEST=1"]
      ) { request, client, descriptor in
        switch request {
        case .stdio(let number):
          let stream = try #require(descriptor)
          if number == 1 { try StandardStreams.write(Array("from the program\n".utf8), to: stream.raw) }
          try client.say("ok")
        case .directory:
          #expect(try FileIdentity.of(#require(descriptor).raw) == FileIdentity.of(Files.openDirectory(".").raw))
          try client.say("ok")
        case .command(let arguments):
          #expect(arguments == 4)
          bytes = try Files.readMemoryFile(#require(descriptor).raw, limit: 1 << 20)
          try client.say("ok")
        default:
          try client.say("ok name=n pid=77", "event exited name=other-event-order=no")
          try client.say("event exited name=n status=7")
        }
      }
      #expect(outcome.requests.count == 6)
      #expect(outcome.requests.prefix(3) == [.stdio(number: 0), .stdio(number: 1), .stdio(number: 2)])
      #expect(
        outcome.requests.last
          == .run(
            Request.Run(
              name: "n", modes: [.voip], keepAliveNanoseconds: 600_000_000_000, batchWakesNanoseconds: 500_000_000)))
      let strings = bytes.split(separator: 0, omittingEmptySubsequences: false)
      #expect(strings.prefix(4).map { String(decoding: $0, as: UTF8.self) } == ["prog", "-x", "--", ""])
      #expect(strings.dropFirst(4).contains { $0.elementsEqual("LULL_TEST=1".utf8) })
      #expect(bytes.last == 0)
      #expect(outcome.output == "from the program\n")
      #expect(outcome.status == .exited(7))
    }
  }
}

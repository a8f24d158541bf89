import LullSystem
import LullWire
import TestSupport
import Testing

/// `lull run --timers`: a sleeping command is woken when a time-out of its own is due. Time-outs pass in
/// real time, the daemon's limits as fast as its clock runs.
@Suite(.bounded) struct OwnTimerTests {
  @Test func `it is woken when its time-out is due, and not before`() throws {
    let stage = try Stage()
    let run = try Self.start(stage, "client", seconds: "6", timers: "5")
    try stage.journal.wait("woke", of: "client", cause: "timer")
    // A program woken too early would have waited on, slept again, and been woken again.
    #expect(try run.output.line() == "timer")
    let later = try stage.journal.entriesUpToNow().filter { $0["program"] == "client" }
    #expect(!later.contains { $0["what"] == "woke" }, "\(later)")
    #expect(try stage.lull.item(.wake, of: "client")[.reason] == "timer")
  }

  /// A program that says `timer` whenever its time-out is over; returned when it sleeps.
  @discardableResult
  private static func start(
    _ stage: Stage, _ name: String, seconds: String, timers: String
  ) throws -> ConnectedChild {
    let command = try Python.command(client, "\(stage.network.freePort())", seconds)
    let run = try stage.run(name, command, options: ["--timers", timers])
    #expect(try run.output.line() == "ready")
    try stage.journal.waitForSleep(of: name)
    return run
  }

  private static let client = """
    import select, socket, sys
    own = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print("ready", flush=True)
    while True:
      if not select.select([own], [], [], float(sys.argv[2]))[0]:
        print("timer", flush=True)
    """
}

import LullSystem
import LullWire
import TestSupport
import Testing

/// Transfers under lulld: who sleeps, who is woken and launched, and for whom nothing is fetched any more.
@Suite(.bounded) struct TransferTests {
  private let lull: Lull
  private let journal: Journal
  private let server: ConnectedChild
  private let address: String

  init() throws {
    lull = try Lull()
    journal = try lull.journal()
    let (port, folder) = (freePort(), "\(lull.sandbox.directory)/site")
    try Files.makeDirectory(folder)
    try Kernel.write("an issue", to: "\(folder)/issue")
    server = try ConnectedChild(
      ["/usr/bin/python3", "-m", "http.server", "\(port)", "--bind", "127.0.0.1", "--directory", folder])
    address = "http://127.0.0.1:\(port)"
    try eventually("the server does not listen") {
      let socket = try Socket.connectNonBlocking(.loopback(port: port))
      _ = try Socket.poll(socket.raw, .writable, timeoutMilliseconds: 1000)
      return try Socket.connectError(socket.raw) == nil
    }
  }

  private func finish() {
    try? server.signal(Signal.kill)
    _ = try? server.end()
  }

  private func install(_ name: String, _ program: String, options: [String] = []) throws {
    let result = try lull.run(["install", name] + options + ["--", program])
    try #require(result.status == .exited(0), "\(result)")
  }

  private func installTransfers() throws {
    try install(
      "transfers", try Built.program("lull-transfers"), options: ["--mode", "voip", "--timers", "15"])
    try journal.waitForSleep(of: "transfers")
  }

  @discardableResult
  private func add(_ page: String, _ words: String...) throws -> String {
    let path = "\(lull.sandbox.directory)/\(page)"
    let result = try lull.run(["transfer", "add", "\(address)/\(page)", path] + words)
    try #require(result.status == .exited(0) && result.errors == "", "\(result)")
    return path
  }

  /// The records that the program has not removed.
  private func list() throws -> String { try lull.run("transfer", "list").output }

  @Test func `a sleeping program is woken once when all of its session has come`() throws {
    defer { finish() }
    try installTransfers()
    try install("reader", try Built.helper("transfers-example"))
    try journal.waitForSleep(of: "reader")
    let path = try add("issue", "--session", "issues", "--program", "reader")
    try journal.wait("woke", of: "transfers")
    try journal.wait("woke", of: "reader", cause: "url")
    #expect(try Kernel.text(path) == "an issue")
    try eventually("the reader has not taken it") { try list() == "Nothing is fetched.\n" }
    try journal.waitForSleep(of: "transfers")
    let rest = try journal.entriesUpToNow()
    #expect(!rest.contains { $0[.program] == "reader" && $0[.cause] == "url" }, "\(rest)")
    #expect(try lull.state(of: "transfers") == "suspended")
  }

  @Test func `a program that does not run is launched once, also for a failure`() throws {
    defer { finish() }
    try installTransfers()
    try install(
      "reader", try Built.helper("transfers-example"), options: ["--no-start", "--scheme", "lull-transfer"])
    try add("nothing", "--session", "issues", "--program", "reader")
    try journal.wait("launched", of: "reader", cause: "url")
    try eventually("the reader has not taken it") { try list() == "Nothing is fetched.\n" }
    try journal.waitForSleep(of: "transfers")
    #expect(try !journal.entriesUpToNow().contains { $0[.what] == "launched" })
  }

  @Test func `a reader that is seen shows how much has come, and then the file`() throws {
    defer { finish() }
    try installTransfers()
    let gate = "\(lull.sandbox.directory)/gate"
    let port = freePort()
    let slow = try ConnectedChild(Python.command(Python.halfway, "\(port)", gate))
    #expect(try slow.output.line() == "ready")
    let path = "\(lull.sandbox.directory)/issue.pdf"
    let words = try Lull.example("transfers-example") + ["http://127.0.0.1:\(port)/issue.pdf", path]
    let reader = try ConnectedChild(words, environment: lull.environment)
    try journal.waitForSleep(of: "reader")
    #expect(try lull.run("foreground", "reader").status == .exited(0))
    _ = try reader.output.line { $0 == "\(path) 50 %" }
    #expect(!Files.exists(path))
    try Kernel.write("go on", to: gate)
    _ = try reader.output.line { $0 == "\(path) finished" }
    #expect(try Files.read(path, limit: 1 << 20).count == 1000)
    // The reader is told of its file before the session is forgotten.
    try eventually("the session is not forgotten") { try list() == "Nothing is fetched.\n" }
    try slow.signal(Signal.kill)
    try slow.end()
  }

  @Test func `a command that runs is woken, and hears nothing else`() throws {
    defer { finish() }
    try installTransfers()
    try lull.detach("clerk", options: ["--mode", "audio"])
    try journal.waitForSleep(of: "clerk")
    try add("issue", "--program", "clerk")
    try journal.wait("woke", of: "clerk", cause: "operator")
  }

  @Test func `what was quit has nothing fetched any more`() throws {
    defer { finish() }
    try installTransfers()
    try install("reader", try Built.helper("transfers-example"))
    let away = try lull.run(
      "transfer", "add", "http://127.0.0.1:1/x", "\(lull.sandbox.directory)/x", "--program", "reader")
    try #require(away.status == .exited(0))
    try eventually("nothing is told of the server") { try list().contains("Couldn't connect to server") }
    #expect(try lull.run("quit", "reader").status == .exited(0))
    #expect(try list() == "Nothing is fetched.\n")
  }

  @Test func `a program may not open links and wake others in the name of transfers`() throws {
    defer { finish() }
    let clerk = try lull.start([
      "run", "--name", "clerk", "--", try Built.program("lull"), "wake", "transfers",
    ])
    #expect(try clerk.errors.untilEnd().contains("clerk"))
    #expect(try clerk.end() == .exited(1))
    let other = try lull.start(
      ["run", "--name", "transfers", "--", try Built.program("lull"), "open", "sip:alice"])
    #expect(try other.errors.untilEnd().contains("transfers"))
    #expect(try other.end() == .exited(1))
  }

  @Test func `what is missing is told in one line`() throws {
    defer { finish() }
    let path = "\(lull.sandbox.directory)/issue"
    func error(_ words: String...) throws -> String {
      let result = try lull.run(["transfer"] + words)
      #expect(result.status == .exited(1) && result.output == "", "\(result)")
      return result.errors.replacing("\n", with: " ")
    }
    #expect(
      try error("add", "\(address)/issue", path)
        == "lull: nothing fetches here yet; say \"lull install transfers --mode voip --timers 15 -- "
        + "lull-transfers\" once ")
    try installTransfers()
    #expect(
      try error("add", "ftp://h/a", path)
        == "lull: ftp://h/a: must be a URL that begins with http:// or https:// ")
    #expect(
      try error("cancel", "7") == "lull: no transfer 7; \"lull transfer list\" lists them ")
    _ = try lull.run("quit", "transfers")
    let late = try lull.run("transfer", "add", "\(address)/issue", path)
    #expect(late.status == .exited(0))
    #expect(late.errors == "lull: transfers does not run (quit); see \"lull why transfers\"\n")
    let gone = try lull.start(
      ["transfer", "add", "\(address)/issue", path + "2"], prefix: ["env", "PATH=/no/such/folder"])
    #expect(try gone.errors.untilEnd() == "lull: aria2c is not found in PATH; install the package aria2\n")
    #expect(try gone.end() == .exited(1))
  }
}

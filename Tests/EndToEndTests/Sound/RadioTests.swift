import LullSystem
import LullWire
import TestSupport
import Testing

/// lull-player plays a radio: it sleeps between the pieces of the stream, and shows the titles and the state
/// of its connection.
@Suite(.bounded) struct RadioTests {
  /// The server of the player's own tests, lull-player, and the folder of both.
  private final class Studio {
    let stage: AudioStage
    let url: String
    private let folder: String
    private let server: ConnectedChild

    init() throws {
      try Executables.require("python3", package: "python3-minimal")
      stage = try AudioStage()
      folder = stage.path("studio")
      try Files.makeDirectories(folder)
      // Frames of silence: MPEG 1, layer III, 128 kbit/s, 44,100 Hz.
      let frame = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
      try Kernel.write(Array(repeatElement(frame, count: 100).joined()), to: "\(folder)/radio.mp3")
      let tests = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
      server = try ConnectedChild(
        stage.network.prefix + ["python3", "\(tests)/Support/stream-server.py", folder])
      url = "http://127.0.0.1:\(try server.output.line())/radio/radio.mp3"
    }

    deinit { _ = try? player("quit") }

    /// The output of lull-player.
    @discardableResult
    func player(_ arguments: String...) throws -> String {
      let environment = ["XDG_STATE_HOME=\(folder)", "XDG_CACHE_HOME=\(folder)", "DBUS_SESSION_BUS_ADDRESS="]
      let child = try ConnectedChild(
        stage.network.prefix + [Built.program("lull-player")] + arguments,
        environment: stage.lull.environment + environment)
      let output = try child.output.untilEnd()
      let errors = try child.errors.untilEnd()
      try #require(try child.end() == .exited(0), "\(arguments): \(errors)")
      return output
    }

    /// The status, as soon as it contains these words.
    func status(_ words: String) throws -> String {
      let deadline = Deadline()
      while true {
        let status = try player("status", "--json")
        if status.contains(words) { return status }
        try #require(!deadline.isOver, "no \(words): \(status)")
      }
    }

    /// The requests that the server got.
    func requests() throws -> Int { try Kernel.text("\(folder)/log").split(separator: "\n").count }
  }

  @Test func `a radio is heard by a player that sleeps, and is begun anew after a pause`() throws {
    let studio = try Studio()
    let (stage, player) = (studio.stage, "lull-player")
    try studio.player("add", "--play", studio.url + "?metaint=4096&burst=48000&rate=64000")
    try stage.journal.wait("session-opened", of: player)
    try stage.journal.waitForSleep(of: player)
    _ = try stage.session(of: player) { $0[.state] == "running" }
    try stage.journal.wait("woke", of: player, cause: "accessory")
    try stage.journal.waitForSleep(of: player)
    let status = try studio.status(#""activity":"playing""#)
    #expect(status.contains(#""title":"Title; it's "#) && status.contains(#""artist":"Artist""#))
    #expect(status.contains(#""live":true,"station":"Test Radio","bitsPerSecond":128000"#))
    #expect(try stage.session(of: player) { _ in true }[.starved] == nil)
    try studio.player("pause")
    try stage.journal.wait("session-ended", of: player)
    #expect(try studio.requests() == 1)
    try studio.player("play")
    try stage.journal.wait("session-opened", of: player)
    #expect(try studio.requests() == 2)
  }

  @Test func `a radio that ends the connection is connected to again by a sleeper`() throws {
    let studio = try Studio()
    try studio.player("add", "--play", studio.url + "?burst=48000&cut=48000")
    try studio.stage.journal.wait("session-opened", of: "lull-player")
    let status = try studio.status(#""activity":"reconnecting""#)
    #expect(status.contains(#""reason":"the server has ended the connection""#))
    while try studio.requests() < 2 {
      try studio.stage.journal.waitForSleep(of: "lull-player")
      try studio.stage.journal.wait("woke", of: "lull-player", cause: "accessory")
    }
  }
}

import ArgumentParser
import LullWire
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

@Suite(.bounded) struct ControlTests {
  @Test(arguments: [
    ("add", "path is missing"), ("play index=0", "index=\"0\": expected a place in the queue, from 1"),
    ("seek", "position or offset is missing"), ("seek offset=nan", "offset=\"nan\": expected seconds"),
    ("volume percent=101", "percent=\"101\": expected a whole number from 0 to 100"),
    ("volume offset=101", "offset=\"101\": expected a whole number from -100 to 100"),
    ("repeat mode=x", "mode=\"x\": expected one of off, all, one"), ("remove", "index is missing"),
    ("shuffle mode=1", "mode=\"1\": expected on or off"),
    ("replaygain mode=on", "mode=\"on\": expected one of off, track, album, auto"),
    ("replaygain mode=off preamp=16", "preamp=\"16\": expected decibels from -15 to 15"),
    ("dance", "unknown verb \"dance\""),
  ])
  func `a bad request is answered with what is wrong`(line: String, message: String) throws {
    let stage = try Stage()
    let controller = Controller(player: stage.player) { PlayerTroubles() }
    let (messages, _) = controller.answer(try Message.parse(line))
    #expect(messages.map(\.verb) == ["error"])
    #expect(messages[0]["message"] == message)
  }

  @Test func `a report is read as it was written, and its position goes on with the clock`() throws {
    let stage = try Stage()
    let path = try stage.scratch.sound("a.flac", kind: .flac16, samples: ramp(40_000), title: "Song")
    try stage.player.add(path: path)
    try stage.player.play()
    stage.output.hear(8000)
    let report = StatusReport(
      stage.player, PlayerTroubles(withoutMpris: "no bus", unsaved: "disk full"), at: 1_000_000_000)
    let line = try report.message.encoded()
    let read = try #require(StatusReport(Message.parse(line[...])))
    #expect(read == report && read.message["unsaved"] == "disk full")
    #expect(read.position(at: 2_500_000_000) == 2.5)
    #expect(read.position(at: 99_000_000_000) == 5)
    #expect(StatusText.line(read, at: 2_500_000_000) == "playing  1/1  Song  0:02 / 0:05")
  }

  @Test func `the list names what was passed over`() throws {
    let stage = try Stage()
    try stage.add(ramp(8000), ramp(8000))
    try stage.player.play()
    stage.player.queue.update(stage.player.queue.items[1].id) { $0.status = .failed("no such file") }
    let (messages, _) = Controller(player: stage.player) { PlayerTroubles() }.answer(Message("list"))
    let entries = messages.filter { $0.verb == "item" }
    #expect(ListText.table(entries) == "> 1  0:01  a.wav\n  2  0:01  b.wav  (no such file)\n")
    #expect(ListText.json(entries).hasPrefix(#"[{"index":1,"path":""#))
  }

  @Test(arguments: [
    ("90", "position=90.0"), ("1:30", "position=90.0"), ("1:02:03.5", "position=3723.5"),
    ("+10", "offset=10.0"), ("-0:10", "offset=-10.0"), ("0.25", "position=0.25"),
  ])
  func `a place is written in seconds or as a clock shows it`(text: String, fields: String) throws {
    #expect(try request(["seek", text]) == Message.parse("seek \(fields)"))
  }

  @Test(arguments: ["", "1:60", "x", "1:2:3:4", "--5", "1e3", "+", ":", "1:-3", "nan"])
  func `what is no place is refused`(text: String) {
    #expect(throws: (any Error).self) { try request(["seek", text]) }
  }

  private func request(_ words: [String]) throws -> Message {
    try #require(try PlayerCommand.parseAsRoot(words) as? any ControlCommand).request()
  }

  @Test(arguments: [("+5", 55), ("-5", 45), ("+100", 100), ("-100", 0), ("40", 40)])
  func `the volume is set, or changed as far as there is any`(text: String, volume: Int) throws {
    let stage = try Stage()
    stage.player.setVolume(50)
    let (messages, _) = Controller(player: stage.player) { PlayerTroubles() }.answer(
      try request(["volume", text]))
    #expect(messages.map(\.verb) == ["ok"] && stage.player.volume == volume)
  }

  @Test(arguments: ["101", "+101", "-101", "x", "5.5", "++5"])
  func `what is no volume is refused`(text: String) throws {
    #expect(throws: (any Error).self) { try request(["volume", text]) }
  }

  @Test func `the words of other players are known, or lead to those that are`() throws {
    #expect(try PlayerCommand.parseAsRoot(["prev"]) is PreviousCommand)
    #expect(try PlayerCommand.parseAsRoot(["current"]) is StatusCommand)
    #expect(try request(["random", "on"]) == Message.parse("shuffle mode=on"))
    for words in [[], ["--help"], ["help"], ["help", "play"], ["prev"], ["status", "x"]] {
      try PlayerCommand.check(words)
    }
    let message = "no subcommand \"pl\"; did you mean \"list\"?"
    for words in [["pl"], ["help", "pl"]] {
      #expect(throws: Failure.usage(message)) { try PlayerCommand.check(words) }
    }
    #expect(throws: Failure.usage("no subcommand \"volum\"; did you mean \"volume\"?")) {
      try PlayerCommand.check(["volum", "5"])
    }
  }

  @Test func `the command line is read`() throws {
    #expect(try request(["play", "3"]) == Message.parse("play index=3"))
    #expect(try request(["volume", "40"]) == Message.parse("volume percent=40"))
    #expect(try request(["toggle"]) == Message("toggle"))
    #expect(try (PlayerCommand.parseAsRoot(["add", "-p", "a", "b"]) as? AddCommand)?.files == ["a", "b"])
    let gain = try request(["replaygain", "track", "--preamp", "-3"])
    #expect(try gain == Message.parse("replaygain mode=track preamp=-3.0"))
    let alert =
      try PlayerCommand.parseAsRoot(["alert", "--call", "--device", "x", "--", "-a"]) as? AlertCommand
    #expect(alert?.call == true && alert?.device == "x" && alert?.sound == "-a")
    #expect(throws: (any Error).self) { try PlayerCommand.parseAsRoot(["daemon", "--buffer", "31"]) }
    #expect(throws: (any Error).self) { try PlayerCommand.parseAsRoot(["add"]) }
  }
}

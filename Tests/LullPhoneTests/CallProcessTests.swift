import LullSystem
import TestSupport
import Testing

/// Calls between real programs over the loopback interface.
@Suite(.bounded) struct CallProcessTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The port that a call has printed.
  private func port(_ phone: PhoneProcess) throws -> UInt16 {
    let words = try phone.line(startingWith: "Call begun on port ").split(separator: " ")
    return try #require(UInt16(words[4]))
  }

  /// A figure in a call's last text line, such as "lost 3".
  private func figure(_ name: String, in line: String) throws -> Int {
    let words = line.split { " ,:".contains($0) }
    let place = try #require(words.firstIndex { $0 == name }, "no \(name) in: \(line)")
    return try #require(Int(words[place + 1]))
  }

  @Test func `Two phones hear each other`() throws {
    let (here, there) = ("\(folder.path)/here.wav", "\(folder.path)/there.wav")
    let called = try PhoneProcess([
      "call", "--embedded", "--source", "tone:880", "--sink", "file:\(there)",
    ])
    let caller = try PhoneProcess([
      "call", "127.0.0.1:\(try port(called))", "--embedded", "--source", "tone:440", "--sink", "file:\(here)",
    ])
    try Recording.wait(for: 440, atLeast: 0.15, in: there)
    try Recording.wait(for: 880, atLeast: 0.15, in: here)
    try caller.send(Signal.terminate)
    let ends = [
      try caller.line(startingWith: "Call ended: "), try called.line(startingWith: "Call ended: "),
    ]
    #expect(try caller.status() == .exited(0) && called.status() == .exited(0))
    for end in ends {
      #expect(try figure("lost", in: end) == 0 && figure("received", in: end) > 60, "\(end)")
    }
  }

  @Test func `A file is sent, at 48 kHz whatever its own rate`() throws {
    let (file, there) = ("\(folder.path)/tone.wav", "\(folder.path)/there.wav")
    let maker = try PhoneProcess(command: [
      "ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100:duration=20",
      "-ac", "2",
      file,
    ])
    #expect(try maker.status() == .exited(0))
    let called = try PhoneProcess(["call", "--embedded", "--source", "silence", "--sink", "file:\(there)"])
    let caller = try PhoneProcess([
      "call", "127.0.0.1:\(try port(called))", "--embedded", "--source", "file:\(file)", "--sink", "none",
    ])
    try Recording.wait(for: 440, atLeast: 0.06, in: there)
    try caller.send(Signal.terminate)
    _ = try called.line(startingWith: "Call ended: ")
    #expect(try caller.status() == .exited(0))
  }

  @Test(arguments: [
    (["--source", "file:/nowhere.wav"], "Had error: /nowhere.wav: No such file or directory"),
    (
      ["--source", "silence", "--sink", "file:/nowhere/x.wav"],
      "Had error: /nowhere/x.wav: No such file or directory"
    ),
  ])
  func `A file that cannot be opened is told in one line`(_ options: [String], _ text: String) throws {
    let phone = try PhoneProcess(["call", "--embedded", "--source", "silence", "--sink", "none"] + options)
    let line = try phone.line()
    #expect(line.hasPrefix("Had error: ") && line.contains("nowhere"), "\(line)")
    #expect(try phone.status() == .exited(1))
  }

  @Test func `Another payload type than that of the call is told once`() throws {
    let called = try PhoneProcess(["call", "--embedded", "--source", "silence", "--sink", "none"])
    let caller = try PhoneProcess([
      "call", "127.0.0.1:\(try port(called))", "--embedded", "--source", "silence", "--sink", "none",
      "--payload-type", "96", "--duration", "1",
    ])
    let line = try called.line()
    #expect(line.hasSuffix("sends payload type 96, and the call has 111"), "\(line)")
    #expect(try caller.status() == .exited(0))
    try called.send(Signal.terminate)
    #expect(try called.line().hasPrefix("Call ended: "))
  }
}

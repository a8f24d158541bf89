import LullSystem
import LullWire
import TestSupport
import Testing

/// Performs a play, line by line. Tests/Plays/README.md describes the words.
final class StageHand {
  let spoken: Spoken
  let page: ProtocolPage
  let play: Play
  private(set) var scene: Scene?
  var speakers: [String: Speaker] = [:]
  /// What was said so far, as `$speaker.field`, and other values as `$name`.
  var values: [String: String] = [:]
  var programs: [String: ConnectedChild] = [:]
  var links: [String: Channel] = [:]
  var peers: [String: Channel] = [:]
  var kept: [DescriptorBox] = []

  init(_ play: Play, page: ProtocolPage, spoken: Spoken) {
    (self.play, self.page, self.spoken) = (play, page, spoken)
    values["long"] = String(repeating: "x", count: 5000)
    values["huge"] = String(repeating: "x", count: 200_000)
  }

  /// Performs the play; throws with the line that failed.
  func perform() throws {
    for line in play.lines {
      do {
        try perform(line.text)
      } catch {
        let place = "\(play.file):\(line.number): \(line.text)"
        throw NothingCame(description: "\(place)\n  \(error)\n\(history())")
      }
    }
    try close()
  }

  /// What the log and the views show at the end belongs to what was said.
  private func close() throws {
    guard let scene, scene.journal != nil, try scene.lull.guardian.isAlive else { return }
    let operator_ = Speaker(try scene.lull.connect(), spoken)
    for request in ["status", "log last=2048"] { _ = try operator_.ask(request) }
  }

  private func history() -> String { (try? scene?.lull.run("log", "--last", "24").output) ?? "" }

  var stage: Scene {
    get throws { try #require(scene, "a play begins with its stage") }
  }

  func speaker(_ name: String) throws -> Speaker {
    guard let speaker = speakers[name] else { throw NothingCame(description: "nobody is called \(name)") }
    return speaker
  }

  func perform(_ text: String) throws {
    let (first, rest) = Self.cut(text)
    switch first {
    case "stage": scene = try Scene(rest.split(separator: " ").map(String.init))
    case "repeat":
      let (count, line) = Self.cut(rest)
      for number in 1...(Int(count) ?? 1) {
        values["n"] = "\(number)"
        for part in line.components(" ;; ") { try perform(part) }
      }
    case "until": try perform(until: rest)
    case "try": try? perform(rest)
    default: try act(filled(first), filled(rest))
    }
  }

  /// A line whose values are known.
  private func act(_ first: String, _ rest: String) throws {
    guard let last = first.last, "><!?~".contains(last) else { return try prepare(first, rest) }
    let name = first.trimmingSuffix { "><!?~".contains($0) }
    switch last {
    case ">" where first.hasSuffix(">>"): try speaker(name).say(rest)
    case ">": try ask(name, rest)
    case "<": try hear(name, rest)
    case "!": try order(name, rest)
    case "~": try expectNone(name, rest)
    default: try expectItem(name, rest)
    }
  }

  /// Says the line again and again until its answer has the item.
  private func perform(until rest: String) throws {
    let parts = rest.split(separator: " ? ", maxSplits: 1).map(String.init)
    let name = Self.cut(parts[0]).0.trimmingSuffix { $0 == ">" }
    let deadline = Deadline()
    while true {
      try perform(parts[0])
      if try item(of: name, filled(parts[1])) != nil { return }
      if deadline.isOver {
        throw NothingCame(description: "never; the last items: \(try speaker(name).items)")
      }
      var none: [PollEntry] = []
      _ = try Socket.pollMany(&none, timeoutMilliseconds: 20)
    }
  }

  /// The first word, and what follows.
  static func cut(_ text: String) -> (String, String) {
    let first = text.prefix { $0 != " " }
    return (String(first), ProtocolPage.trimmed(text.dropFirst(first.count)))
  }

  /// The line with the values of `$name` and `$speaker.field`.
  func filled(_ text: String) -> String {
    text.replacing(/\$([a-z]+(?:\.[A-Za-z]+)?)/) { values[String($0.1)] ?? String($0.0) }
  }
}

extension String {
  func trimmingSuffix(_ belongs: (Character) -> Bool) -> String {
    String(reversed().drop(while: belongs).reversed())
  }
}

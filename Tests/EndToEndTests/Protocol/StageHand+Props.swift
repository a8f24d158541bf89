import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

// What happens around the daemon.
extension StageHand {
  func prepare(_ word: String, _ rest: String) throws {
    let (name, more) = Self.cut(rest)
    switch word {
    case "puppet":
      let puppet = try stage.puppet(name)
      speakers[name] = Speaker(puppet, spoken)
      values["\(name).pid"] = "\(puppet.pid)"
      try puppet.connect()
    case "operator": speakers[name] = Speaker(try stage.lull.connect(), spoken)
    case "sounds": try openSession(name, more)
    case "plays": try play(name, more)
    case "bounds": try tryBounds(name, more)
    case "port": values[name] = "\(try stage.network.freePort())"
    case "journal": try expectEntry(name, more)
    case "written": try expectWritten(name)
    case "refused": try stage.lull.journal().wait("freeze-refused", of: name, cause: more)
    case "asleep": try #require(try stage.journal).waitUntilAsleep(name, stage.lull)
    case "program": try start(name, more)
    case "reads":
      let line = try programs[name]?.output.line()
      try demand(line == more, "\(name) said \(line ?? "nothing")")
    case "tells": try programs[name]?.output.send(more + "\n")
    case "ip": try stage.network.ip(rest)
    case "uevent": try Uevent.tell(rest.components(" ; "), in: stage.network)
    case "dial": links[name] = try stage.network.connect(to: UInt16(more) ?? 0)
    case "datagrams": links[name] = try stage.network.datagrams(to: UInt16(more) ?? 0)
    case "sends": try links[name]?.send(more + "\n")
    case "gets":
      let line = try links[name]?.line()
      try demand(line == more, "the peer said \(line ?? "nothing")")
    case "drains": _ = try links[name]?.untilEnd()
    case "script":
      let text = try #require(play.texts[name], "no text \(name)")
      programs[name] = try ConnectedChild(["python3", "-c", text], environment: stage.lull.environment)
    case "child":
      programs[name] = try ConnectedChild(more.components(" "), environment: stage.lull.environment)
    case "closes":
      links[name]?.close()
      try speakers[name]?.close()
    case "breaks": try Kernel.breakOff(try #require(links[name]).box)
    case "calls": links[name] = try Self.call(UInt16(more) ?? 0)
    case "ends": try speaker(name).expectEnd()
    case "greets": try expectRefusal(name, more)
    case "pairs":
      let null = try Files.openNull()
      let (line, code) = Self.parted(more, " -> ")
      let reply = try speaker(name).askTwice(line, descriptor: null.raw)
      try demand(reply[.code] == code, reply.text)
    case "kill" where name == "lulld": try stage.lull.kill()
    case "over" where name == "lulld": try stage.lull.guardian.end()
    case "unplug": try stage.unplug()
    case "silence": try stage.silence()
    case "plug": try stage.plug()
    case "shell": try shell(rest)
    default: throw NothingCame(description: "no word of a play: \(word)")
    }
  }

  /// `WHAT [of=PROGRAM] [cause=WORD] [detail=TEXT]`.
  private func expectEntry(_ what: String, _ more: String) throws {
    func value(_ key: String) -> String? {
      more.split(separator: " ").first { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.count + 1)) }
    }
    try #require(try stage.journal).wait(
      what, of: value("of"), cause: value("cause"), detail: value("detail"))
  }

  /// The journal's file has an entry: lulld writes it a moment later, and a lulld that is killed before that
  /// takes the entry with it.
  private func expectWritten(_ what: String) throws {
    let path = try #require(try stage.lull.journalCheck()[.detail])
    try eventually("\(what) was not written to \(path)") {
      let text = try Kernel.text(path)
      return text.contains("what=\(what) ") || text.contains("what=\(what)\n")
    }
  }

  /// `lull run --name NAME OPTIONS -- WORDS`; what stands after `python` is the name of a text and its
  /// arguments.
  private func start(_ name: String, _ more: String) throws {
    let parts = more.split(separator: "-- ", maxSplits: 1, omittingEmptySubsequences: false)
    var words = parts[1].split(separator: " ").map(String.init)
    if words.first == "python" {
      let text = try #require(play.texts[words[1]], "no text \(words[1])")
      words = ["python3", "-c", text] + words.dropFirst(2)
    }
    let options = parts[0].split(separator: " ").map(String.init)
    let run = ["run", "--name", name] + options + ["--"] + words
    programs[name] = try stage.start(run)
    try stage.journal?.wait("registered", of: name)
    // The record by which it is started again is there from then on, even when the program has ended before.
    if options.contains("--detach") { try programs[name]?.end() }
  }

  private func shell(_ command: String) throws {
    let sandbox = try stage.lull.sandbox
    let environment =
      try stage.lull.environment + ["CGROUP=\(sandbox.cgroup)", "FOLDER=\(sandbox.directory)"]
    let child = try ConnectedChild(["sh", "-c", command], environment: environment)
    let errors = try child.errors.untilEnd()
    let status = try child.end()
    try demand(status == .exited(0), errors)
  }

  /// A connection to a program that is in the test's own network.
  private static func call(_ port: UInt16) throws -> Channel {
    let box = DescriptorBox(try Socket.connectNonBlocking(.loopback(port: port)))
    return Channel(box, name: "the connection to port \(port)")
  }

  // MARK: Descriptors

  /// `!` orders of a puppet: `connect` dials a server of the test, the others are the puppet's own.
  func order(_ name: String, _ line: String) throws {
    let puppet = try speaker(name).puppet
    let (word, more) = Self.cut(line)
    switch word {
    case "dial":
      let (descriptor, peer) = try puppet.dial(Server())
      values["\(name).fd"] = "\(descriptor)"
      links[more.isEmpty ? name : more] = peer
    case "launched": try puppet.finishLaunching()
    case "connected": _ = try puppet.told("connected")
    case "lost": _ = try puppet.told("lost")
    case "listen", "datagram", "file", "ring", "pair":
      try puppet.order(line)
      let opened = try puppet.told("opened")
      for field in opened.fields { values["\(name).\(field.key)"] = field.text }
      if word == "ring" || word == "pair" { values["\(name).\(word)"] = opened["fd"] }
    default: try puppet.order(line)
    }
  }

  /// A number for a puppet. An operator's: `null`, `folder`, `words:a,b` (a memfd), `child:NAME`.
  func descriptor(_ what: String, for name: String) throws -> Int32 {
    if let number = Int32(what) { return number }
    let box: DescriptorBox
    switch what.prefix(while: { $0 != ":" }) {
    case "child":
      let name = String(what.dropFirst(6))
      return try (programs[name] ?? speaker(name).puppet.child).pidfd
    case "null": box = DescriptorBox(try Files.openNull())
    case "folder": box = DescriptorBox(try Files.openDirectory("/"))
    case "words":
      let words = what.dropFirst(6).replacing(",", with: "\0") + "\0"
      box = DescriptorBox(try Files.memoryFile(name: "command", Array(words.utf8)))
    default: throw NothingCame(description: "no descriptor: \(what)")
    }
    kept.append(box)
    return box.raw
  }
}

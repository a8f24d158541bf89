import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// One program on liblull, on python3-lull and on the library in Swift, against a daemon that knows only the
/// protocol's form.
@Suite(.bounded) struct ClientTests {
  /// How the program is run.
  enum Watcher: String, CaseIterable, Sendable {
    case sanitizers, valgrind, python, swift

    var prefix: [String] {
      switch self {
      case .sanitizers, .python, .swift: []
      case .valgrind:
        [
          "valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full",
          "--errors-for-leak-kinds=all", "--show-leak-kinds=all",
        ]
      }
    }

    var kind: CPrograms.Build {
      switch self {
      case .sanitizers: .sanitized
      case .valgrind: .plain
      case .python: .python
      case .swift: .swift
      }
    }
  }

  private static let languages: [CPrograms.Build] = [.plain, .python, .swift]
  /// Where the library in Swift has other words, or returns no error.
  private static let twins: [CPrograms.Build] = [.plain, .python]
  private let folder: TemporaryDirectory
  private let daemon: FakeDaemon
  private let environment: [String]

  init() throws {
    folder = try TemporaryDirectory()
    daemon = try FakeDaemon(path: "\(folder.path)/control")
    environment = ["LULL_RUNTIME_DIR=\(folder.path)", "LULL_GUARD=/nonexistent/guard"]
  }

  /// What is called beside a line's own calls.
  private static let calls = [
    "keepalive 600", "wake-in 20", "wake-in 0", "fetch 900",
    "task upload", "remaining", "end 1", "notify Hello Answer", "notify Hello Answer 60 day", "scheduled all",
    "cancel 0", "background", "foreground", "handling", "done",
  ]

  /// A conversation with every call and every notice. The library in Swift does not tell the numbers of lines
  /// and notifications, nor that the program is about to end or to sleep.
  private func converse(_ language: CPrograms.Build, prefix: [String] = []) throws {
    let client = try CClient(language, environment: environment, prefix: prefix)
    func number(_ number: Int) -> String { language == .swift ? "-" : "\(number)" }
    try client.order("open p 13 0 sip tty,usb:0403")
    let launch = ["willFinishLaunching", "didFinishLaunching", "didEnterBackground"].enumerated()
    for (index, message) in launch { try daemon.send("event deliver message=\(message) ticket=\(index + 1)") }
    try client.wait(for: "event message 5")
    let descriptor = try holdLine(client)
    for call in Self.calls { try client.order(call) }
    try daemon.send(
      "event wake ticket=9 reason=data line=\(try line()) waitedMicroseconds=7", "event keepalive ticket=10",
      "event action ticket=11 notification=3 action=\"Answer it\"", "event open ticket=12 url=sip:a@b",
      "event received notification=4 body=\"two words\"", "event changed what=network,zone",
      "event unheard-of x=1", "event fetch ticket=14", "event keeping", "event prepare ticket=13")
    for event in [
      "wake 1 \(number(descriptor))", "keepalive", "action \(number(3)) Answer it", "open sip:a@b",
      "received \(number(4)) two words", "changed 5", "fetch", "keeping", "prepare",
    ] where language != .swift || !["keeping", "prepare"].contains(event) {
      try client.wait(for: "event \(event)")
    }
    try daemon.wait(for: "ready")
    try client.order("fetched 0")
    try client.order("release \(descriptor)")
    try client.order("close")
    #expect(try client.end() == .exited(0), "\(client.child.errors.unreadText)")
    // The library in Swift does not wait for the last answers.
    try daemon.wait(for: "bye")
  }

  /// Nothing may be left of the conversation, and nothing read that was not written.
  @Test(arguments: Watcher.allCases)
  func `every request is asked, and no memory is lost`(watcher: Watcher) throws {
    try converse(watcher.kind, prefix: watcher.prefix)
    let verbs = Set(daemon.requests.map { String($0.prefix { $0 != " " }) })
    // The library in Swift is of the programs' version, and does not ask for it.
    let programs = Set(Verb.allCases).subtracting(InterfaceTests.foreign.values.joined())
      .subtracting(watcher == .swift ? [.hello] : [])
    #expect(verbs == Set(programs.map(\.rawValue)))
    let handed = daemon.handed.map { String($0.line.prefix { $0 != " " }) }
    #expect(handed == ["hold", "line-state", "handover", "handover"])
  }

  @Test(arguments: Watcher.allCases)
  func `a push has what came beside its own line, and no descriptor is left`(watcher: Watcher) throws {
    let client = try CClient(watcher.kind, environment: environment, prefix: watcher.prefix)
    for call in ["manual", "open p 16 0"] { try client.order(call) }
    #expect(daemon.requests.contains { $0.hasPrefix("register name=p modes=remote-notification ") })
    let before = try client.order("descriptors").code
    // It finds what follows in as few reads as the kernel allows.
    try client.child.signal(Signal.stop)
    try daemon.send("event unheard-of x=1")
    try daemon.send("event push ticket=1 title=\"two words\"\n", payload: "it rains")
    try daemon.send("event unheard-of\n", payload: "not of the next line")
    try daemon.send("event push ticket=2")
    try daemon.send("event push tick", payload: "in two parts")
    try daemon.send("et=3")
    let long = String(repeating: "x", count: Limits.maximumPayload)
    try daemon.send("event push ticket=4\n", payload: long)
    try client.child.signal(Signal.continue)
    for push in ["two words: it rains", "-: ", "-: in two parts", "-: \(long)"] {
      #expect(try client.wait(for: "event push") == "event push \(push)")
    }
    #expect(try client.order("descriptors").code == before)
    for _ in 1...4 { try daemon.wait(for: "fetched") }
    let ended = daemon.requests.filter { $0.hasPrefix("fetched") }
    #expect(ended == (1...4).map { "fetched ticket=\($0) result=new-data" })
    try client.order("close")
    #expect(try client.end() == .exited(0), "\(client.child.errors.unreadText)")
  }

  /// The kernel drops a descriptor for which the program has no room.
  @Test(arguments: twins)
  func `a push whose payload is lost breaks the connection`(language: CPrograms.Build) throws {
    let client = try CClient(language, environment: environment)
    for call in ["manual", "open p 16 0"] { try client.order(call) }
    try daemon.send("event deliver message=didEnterBackground ticket=1")
    try client.wait(for: "event message 5")
    // poll(2) takes no more entries than the program may have descriptors.
    for _ in 1...4 { try client.order("pair") }
    let limit = try #require(try ResourceLimit.all().first { $0.resource == RLIMIT_NOFILE.rawValue })
    let taken = UInt64(try client.order("descriptors").code)
    try ResourceLimit(resource: limit.resource, soft: taken, hard: limit.hard).set(of: client.child.pid)
    try daemon.send("event push ticket=2\n", payload: "it rains")
    #expect(try client.wait(for: "event") == "event lost")
    try limit.set(of: client.child.pid)
    #expect(try client.wait(for: "event") == "event restored")
  }

  /// The verbs of requests, and each with the keys of its fields.
  private static func words(_ requests: [String]) -> Set<String> {
    Set(
      requests.flatMap { request in
        let words = request.split(separator: " ").map { String($0.prefix { $0 != "=" }) }
        return [words[0]] + words.dropFirst().map { "\(words[0]) \($0)" }
      })
  }

  /// The numbers depend on the moment.
  @Test func `the clients in C and Python write the same bytes, and the library in Swift the same fields`()
    throws
  {
    let said = try Self.languages.map { language in
      let suite = try Self()
      try suite.converse(language)
      return suite.daemon.requests
    }
    let compared = said.map { Set($0.map { $0.replacing(/\b(fd|line|task|ticket)=\d+/) { "\($0.1)=N" } }) }
    #expect(compared[0] == compared[1])
    // The library in Swift names the default, has no delay beside a rule of the calendar, and lists what
    // waits.
    let apart = Self.words(said[0]).symmetricDifference(Self.words(said[2]))
    #expect(apart == ["hello", "register profile", "schedule in", "schedule at", "scheduled all"])
    for line in said[1] {
      let own = try String(decoding: Request.parse(Message.parse(line)).message().encoded(), as: UTF8.self)
      let words = Set(own.split { $0.isWhitespace })
      #expect(words.isSubset(of: line.split { $0.isWhitespace }), "\(line): \(own)")
    }
  }

  /// Holds a line with a name, rules and a state; returns its descriptor.
  @discardableResult
  private func holdLine(_ client: CClient) throws -> Int {
    let descriptor = try client.order("pair").code
    try client.order("hold \(descriptor) server 3")
    try client.order("state \(descriptor) dialogue")
    return descriptor
  }

  /// The number that the daemon gave the line.
  private func line() throws -> String {
    let state = try #require(daemon.requests.first { $0.hasPrefix("line-state ") })
    return try #require(state.fields["line"])
  }

  @Test(arguments: twins)
  func `what it asks is what the daemon reads`(language: CPrograms.Build) throws {
    let client = try CClient(language, environment: environment)
    try client.order("open p 13 61 sip,tel")
    try holdLine(client)
    for call in Self.calls { try client.order(call) }
    for request in daemon.requests { _ = try Request.parse(Message.parse(request)) }
    let registration = [
      "register name=p modes=voip,external-accessory,fetch launch=foreground exitsOnSuspend schemes=sip,tel",
      "noCompact keepLines purgeable",
    ]
    #expect(daemon.requests.contains(registration.joined(separator: " ")))
  }

  @Test(arguments: languages)
  func `a daemon that comes back is told everything anew`(language: CPrograms.Build) throws {
    let client = try CClient(language, environment: environment)
    try client.order("open p 1 0")
    try holdLine(client)
    for call in ["keepalive 600", "wake-in 20", "wake-in 0", "task upload"] { try client.order(call) }
    daemon.forget()
    daemon.hangUp()
    try daemon.wait(for: "begin-task")
    let verbs = daemon.requests.map { String($0.prefix { $0 != " " }) }
    #expect(verbs == ["register", "hold", "line-state", "keepalive", "begin-task"])
    let registration = daemon.requests.first?.replacing(" profile=ios4", with: "")
    #expect(registration == "register name=p modes=voip launch=background resume=background")
  }

  @Test(arguments: languages)
  func `the word that was given answers a wake that brings nothing`(language: CPrograms.Build) throws {
    let client = try CClient(language, environment: environment)
    for call in ["manual", "open p 1 0"] { try client.order(call) }
    try daemon.send("event deliver message=didEnterBackground ticket=1")
    try client.wait(for: "event message 5")
    try client.order("done")
    try daemon.wait(for: "done")
    try daemon.send("event wake ticket=2 reason=unfrozen")
    try daemon.wait(for: "done")
    #expect(daemon.requests.last == "done ticket=2")
  }

  @Test(arguments: languages)
  func `a line that the next daemon refuses is told`(language: CPrograms.Build) throws {
    let client = try CClient(language, environment: environment)
    try client.order("open p 1 0")
    let descriptor = try holdLine(client)
    daemon.answer { $0.hasPrefix("hold") ? "error code=too-many-lines message=\"at most 1 line\"" : nil }
    daemon.hangUp()
    try client.wait(for: "event line-lost \(descriptor) at most 1 line")
  }

  @Test func `a daemon of another version is told with both versions`() throws {
    daemon.answer { request in
      if request == "hello" { return "ok pid=1 version=9.9.9" }
      return request.hasPrefix("wake-in") ? "error code=unknown-verb message=\"no such verb\"" : nil
    }
    let client = try CClient(environment: environment)
    try client.order("open p 1 0")
    let version = try client.order("version").text
    let own = version.prefix { $0 != " " }
    #expect(version == "\(own) 9.9.9")
    let reply = try client.call("wake-in 20")
    #expect(reply.code == -12)
    #expect(reply.text == "no such verb (lulld is 9.9.9, liblull is \(own))")
  }

  @Test func `what is no daemon is told`() throws {
    daemon.answer { _ in "HTTP/1.1 400 Bad Request" }
    let reply = try CClient(environment: environment).call("open p 1 0")
    #expect(reply.code == -12)
    let words = "what listens at the control socket does not speak the protocol of liblull "
    #expect(reply.text.hasPrefix(words))
  }

  @Test(arguments: twins)
  func `a daemon that does not answer is given up after 5 s`(language: CPrograms.Build) throws {
    daemon.answer { $0 == "remaining" ? FakeDaemon.silence : nil }
    let client = try CClient(language, environment: environment)
    try client.order("open p 1 0")
    let reply = try client.call("remaining")
    #expect(reply.code == -3 && reply.text == "lulld did not answer in 5 s")
    try client.wait(for: "event restored")
  }

  @Test(arguments: languages)
  func `what is refused is said in the words of the daemon`(language: CPrograms.Build) throws {
    let refusal = "error code=name-in-use message=\"a program named p runs already\""
    daemon.answer { $0.hasPrefix("register") ? refusal : nil }
    let reply = try CClient(language, environment: environment).call("open p 1 0")
    #expect(reply.code == -4 && reply.text == "a program named p runs already")
  }

  @Test(arguments: twins)
  func `values that cannot be asked for are refused here`(language: CPrograms.Build) throws {
    let client = try CClient(language, environment: environment)
    #expect(try client.call("open \(String(repeating: "p", count: 65)) 1 0").code == -9)
    try client.order("open p 0 0")
    daemon.forget()
    #expect(try client.call("keepalive 599").text == "a keep-alive time-out is at least 600 seconds")
    #expect(try client.call("keepalive 600").code == -5)
    #expect(try client.call("wake-in 14").code == -9)
    try client.order("pass 77")
    #expect(try client.call("hold 77").code == -10)
    let long = try client.call("notify \(String(repeating: "x", count: 5000))")
    #expect(long.text.contains("at most 4096 bytes"))
    #expect(daemon.requests.filter { !$0.hasPrefix("d") } == [])
  }

  @Test func `without a daemon there is one clear text`() throws {
    daemon.stop()
    let failing = try folder.file("guard", "#!/bin/sh\necho lull-guard: no room >&2\nexit 1\n", mode: 0o700)
    let place = "LULL_RUNTIME_DIR=\(folder.path)"
    func reply(_ environment: String...) throws -> CClient.Reply {
      try CClient(environment: environment).call("open p 1 0")
    }
    let none = try reply(place, "LULL_GUARD=/nonexistent/guard")
    #expect(none.code == -1 && none.text == "no daemon: /nonexistent/guard: No such file or directory")
    let words = "no daemon: lull-guard is neither beside this program nor in PATH (LULL_GUARD names its file)"
    #expect(try reply(place, "LULL_GUARD=", "PATH=/nonexistent").text == words)
    #expect(try reply(place, "LULL_GUARD=\(failing)").text == "no daemon: no room")
    #expect(try reply("LULL_RUNTIME_DIR=run").code == -9)
  }
}

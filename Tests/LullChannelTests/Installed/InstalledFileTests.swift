import LullWire
import TestSupport
import Testing

@testable import LullChannel

/// The file of the program, as an error names it.
private let place = InstalledFolder.ofThisUser?.path(of: "phone") ?? "programs/phone"

@Suite(.bounded) struct InstalledFileTests {
  private func file(_ text: String) throws -> InstalledFile {
    try InstalledFile(name: "phone", bytes: Array(text.utf8))
  }

  @Test func `A file has options and a command`() throws {
    let file = try file(
      """
      # Answers SIP calls.
      --mode voip
      --keep-alive 600 --exits-on-suspend   # several on one line
      --scheme sip
      --scheme=sips

      -- /usr/bin/baresip -f "/srv/bare sip"
      """)
    #expect(file.name == "phone")
    #expect(file.values(of: "--mode") == ["voip"])
    #expect(file.values(of: "--keep-alive") == ["600"])
    #expect(file.values(of: "--scheme") == ["sip", "sips"])
    #expect(file.values(of: "--linger") == [])
    #expect(file.has("--exits-on-suspend") && !file.has("--tty"))
    #expect(file.command == ["/usr/bin/baresip", "-f", "/srv/bare sip"])
    #expect(file.commandLine == 7)
    #expect(file.settings.map(\.line) == [2, 3, 3, 4, 5])
  }

  @Test(arguments: [
    (#"-- a 'b c' "d e" f\ g"#, ["a", "b c", "d e", "f g"]),
    (#"-- a '' "" 'it'\''s'"#, ["a", "", "", "it's"]),
    (#"-- a "\"\$x\\" '\$x' "\x""#, ["a", #""$x\"#, #"\$x"#, #"\x"#]),
    ("-- a \\\n  b \\\r\n c\r\n", ["a", "b", "c"]),
    ("-- a 'b\nc' \"d\\\ne\"", ["a", "b\nc", "de"]),
    ("-- a b#c # d", ["a", "b#c"]),
    ("-- a -- --mode voip", ["a", "--", "--mode", "voip"]),
    ("-- /bin/\u{e9}", ["/bin/\u{e9}"]),
  ])
  func `The words are read as a shell reads them`(text: String, words: [String]) throws {
    #expect(try file(text).command == words)
  }

  @Test(arguments: [
    ("--mode voip\n--keepalive 600\n-- a", "2: --keepalive: no such option; did you mean \"--keep-alive\"?"),
    ("--colour red\n-- a", "1: --colour: no such option; \"lull install --help\" lists them"),
    ("baresip -f x", "1: a word: not an option; write \"-- \" before the command"),
    (
      "--keep-alive\n600\n-- a",
      "1: --keep-alive: its value is missing; write it on the same line; "
        + "\(place):2: a word: not an option; write \"-- \" before the command"
    ),
    ("--keep-alive --mode voip\n-- a", "1: --keep-alive: its value is missing; write it on the same line"),
    ("--linger=\n-- a", "1: --linger: its value is missing; write it on the same line"),
    ("--linger ''\n-- a", "1: --linger: its value is missing; write it on the same line"),
    ("--linger = 5\n-- a", "1: --linger: its value is missing; write it on the same line"),
    ("linger =\n-- a", "1: linger: its two dashes are missing; write \"--linger VALUE\""),
    ("tty\n-- a", "1: tty: its two dashes are missing; write \"--tty\""),
    ("--tty=yes\n-- a", "1: --tty: takes no value"),
    ("--mode voip\n--mode audio\n-- a", "2: --mode: stands on line 1 already; keep one of the two"),
    ("\n-- a \"b\n", "2: the quote \" that begins here has no end; add another \""),
    ("-- a 'b\n\n", "1: the quote ' that begins here has no end; add another '"),
    ("-- a \\", "1: a backslash at the end; write \\\\ for a backslash"),
    ("--detach\n-- a", "1: --detach: an installed program is always detached; take it out"),
    (
      "--name x\n-- a",
      "1: --name: the name of the file is the program's name; take it out, or rename the file"
    ),
    ("--\n-- a", "1: no command behind --; write it on the same line"),
    (
      "-- a\n--mode voip\n",
      "2: --mode: stands behind the command, which ends with its line; "
        + "continue that line with a \\ at its end"
    ),
    ("-- a \u{0}", "1: a zero byte; take it out"),
  ])
  func `An error is told with its line`(text: String, message: String) {
    let problem = #expect(throws: InstalledFile.Problem.self) { try file(text) }
    #expect(problem?.description == "\(place):" + message)
  }

  @Test func `Each line's error is told`() {
    let text =
      "--mode voip\n--keepalive 600 --linger 1\n--tty=x\n-- a 'b\n c'\nx\n--env \u{0}\n--mode audio\n"
    let problem = #expect(throws: InstalledFile.Problem.self) { try file(text) }
    #expect(problem?.errors.map(\.line) == [2, 3, 6, 7, 8])
    #expect(problem?.lines.count == 5)
    #expect(problem?.lines[1] == "\(place):3: --tty: takes no value")
    #expect(problem?.rest?.command == ["a", "b\n c"] && problem?.rest?.values(of: "--mode") == ["voip"])
  }

  @Test func `of very many errors the first ones are told`() {
    let problem = #expect(throws: InstalledFile.Problem.self) {
      try file(String(repeating: "--colour\n", count: 20))
    }
    #expect(problem?.lines.count == 9 && problem?.lines.last == "\(place): 12 more errors")
  }

  @Test(arguments: [
    "root:$6$hush:19000:0:99999:7:::\nuucp:hush", "-----BEGIN-hush KEY-----\nhush\n", "--hush1 a\n-- b\nhush",
    "--Hush=hush", "--a.hush", "--" + String(repeating: "hush", count: 20), "-- b\nhush",
  ])
  func `What is no word of Lull's is not shown`(text: String) {
    let problem = #expect(throws: InstalledFile.Problem.self) { try file(text) }
    #expect(problem?.description.lowercased().contains("hush") == false, "\(problem?.lines ?? [])")
  }

  @Test(arguments: ["", "# nothing\n", "--mode voip\n"])
  func `A file without a command is an error`(text: String) {
    let problem = #expect(throws: InstalledFile.Problem.self) { try file(text) }
    #expect(
      problem?.description == "\(place): no command; add a line such as \"-- /usr/bin/baresip\"")
  }

  @Test func `Bytes that are not UTF-8 are an error`() {
    let bytes = Array("--mode voip\n-- /bin/".utf8) + [0xE9]
    let problem = #expect(throws: InstalledFile.Problem.self) {
      try InstalledFile(name: "phone", bytes: bytes)
    }
    #expect(problem?.errors.map(\.line) == [2])
  }

  @Test(arguments: [
    "plain", "", "two words", "it's", "\"", "a\nb", "c\r\nd", "\\", "#", "$x", "\u{e9}", "-- x",
  ])
  func `What is written is read again`(word: String) throws {
    // A path is not empty.
    let path = word.isEmpty ? "/log" : word
    let mode = try #require(InstalledOption(word: "--mode"))
    let bytes = InstalledFile.bytes(
      [(mode, "voip"), (.environment, "X=\(word)"), (.terminal, nil), (.output, path)],
      command: ["/bin/a", word, "b"])
    let file = try InstalledFile(name: "phone", bytes: bytes)
    #expect(file.values(of: "--env") == ["X=\(word)"])
    #expect(file.values(of: "--output") == [path])
    #expect(file.has("--tty"))
    #expect(file.command == ["/bin/a", word, "b"])
  }

  @Test func `any bytes are read or refused, and what is read is written back the same`() throws {
    let pieces = [
      "--mode", "--tty", "--env", " ", "\n", "'", "\"", "\\", "#", "=", "--", "a", "\r", "\u{e9}", "\0",
    ]
    var state: UInt64 = 1
    var read = 0
    for _ in 0..<5000 {
      var text = ""
      for _ in 0..<12 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += pieces[Int(state >> 33) % pieces.count]
      }
      guard let file = try? file(text + "\n-- a") else { continue }
      read += 1
      let bytes = InstalledFile.bytes(file.settings.map { ($0.option, $0.value) }, command: file.command)
      let again = try InstalledFile(name: "phone", bytes: bytes)
      #expect(again.command == file.command)
      #expect(again.settings.map(\.value) == file.settings.map(\.value))
    }
    #expect(read > 0)
  }
}

/// `adopt = unit NAME` in place of a command.
@Suite(.bounded) struct AdoptionFileTests {
  private func file(_ text: String) throws -> InstalledFile {
    try InstalledFile(name: "phone", bytes: Array(text.utf8))
  }

  @Test func `it names what others start, with the options of the file`() throws {
    let file = try file("--linger 3\nadopt = container web # the shop\n--no-compact")
    #expect(file.adoption == .init(kind: .container, name: "web") && file.commandLine == 2)
    #expect(file.command.first?.hasSuffix("/lull") == true)
    #expect(file.command.dropFirst() == ["adopt", "--container", "web", "--follow"])
    #expect(file.values(of: "--linger") == ["3"] && file.has("--no-compact"))
    #expect(try self.file("-- adopt = unit x").adoption == nil)
  }

  @Test(arguments: [
    ("adopt unit web", "1: adopt: write \"adopt = unit NAME\", or container NAME, or cgroup PATH"),
    ("adopt = pid 4711", "1: adopt: write \"adopt = unit NAME\", or container NAME, or cgroup PATH"),
    ("adopt = unit --x", "1: adopt: write \"adopt = unit NAME\", or container NAME, or cgroup PATH"),
    ("adopt=unit web", "1: adopt: write \"adopt = unit NAME\", or container NAME, or cgroup PATH"),
    ("-- a\nadopt = unit web", "2: adopt: line 1 says already what runs; keep one of both"),
    ("adopt = unit a\n\nadopt = unit b", "3: adopt: line 1 says already what runs; keep one of both"),
    ("adopt = unit web\n-- a", "2: --: line 1 says already what runs; keep one of both"),
    ("--env A=1\nadopt = unit web", "1: --env: not for what is adopted; take it out"),
    (
      "adopt = unit web\n--lingre 3",
      "2: --lingre: no such option; did you mean \"--linger\"?"
    ),
  ])
  func `what is wrong is told with its line`(text: String, error: String) throws {
    let problem = #expect(throws: InstalledFile.Problem.self) { try file(text) }
    #expect(problem?.description == "\(place):\(error)")
  }
}

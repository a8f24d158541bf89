import LullSystem
import LullWire
import TestSupport
import Testing

/// What liblull promises to the programs that are built with it.
@Suite(.bounded) struct InterfaceTests {
  private static func text(_ path: String) throws -> String {
    String(decoding: try Files.read("\(CPrograms.root)/\(path)", limit: 1 << 20), as: UTF8.self)
  }

  private static func header() throws -> String {
    try ["lull.h", "lull_types.h"].map { try text("Sources/liblull/include/\($0)") }.joined()
  }

  private static func run(_ words: String...) throws -> String {
    String(decoding: try output(of: SpawnRequest(words)), as: UTF8.self)
  }

  @Test func `exactly the promised symbols are exported, with their version`() throws {
    let library = "\(try CPrograms.folder())/lib/liblull.so.1"
    let found = try Self.run("readelf", "--dyn-syms", "--wide", library).split(separator: "\n")
      .filter { !$0.contains(" UND ") && !$0.contains(" ABS ") }
      .compactMap { $0.firstMatch(of: /\S+@@\S+/).map { String($0.0) } }
    let promised = try Self.text("Tests/ClientLibraryTests/Symbols").split(separator: "\n").map(String.init)
    #expect(found.sorted() == promised)
    let declared = try Self.header().matches(of: /LULL_API [^(]*?(lull_\w+)\(/).map { "\($0.1)@@LULL_1.0" }
    #expect(declared.sorted() == promised)
  }

  @Test func `it is linked by its own name, and needs the C library alone`() throws {
    let library = "\(try CPrograms.folder())/lib/liblull.so.1"
    let entries = try Self.run("readelf", "--dynamic", "--wide", library)
    #expect(entries.contains("Library soname: [liblull.so.1]"))
    let needed = entries.matches(of: /\(NEEDED\).*\[(.*)\]/).map { String($0.1) }
    #expect(needed == ["libc.so.6"])
  }

  @Test func `the static library exports no name that is not Lull's`() throws {
    let names = try Self.run("nm", "--defined-only", "--extern-only", "\(CPrograms.folder())/lib/liblull.a")
      .split(separator: "\n").filter { $0.contains(" ") }.compactMap { $0.split(separator: " ").last }
    #expect(names.count > 40)
    #expect(names.filter { !$0.hasPrefix("lull_") } == [])
  }

  @Test func `it is of the version of the programs`() throws {
    let numbers = try Self.header().matches(of: /#define LULL_VERSION_\w+ (\d+)/).map { String($0.1) }
    let version = try Self.text("Sources/LullProgram/Version.swift").firstMatch(of: /current = "(.*)"/)?.1
    #expect(numbers.joined(separator: ".") == version.map(String.init))
    let python = try Self.text("Sources/python3-lull/lull/_version.py").firstMatch(of: /VERSION = \((.*)\)/)?
      .1
    #expect(python?.replacing(", ", with: ".") == version)
    let file = "\(try CPrograms.folder())/lib/pkgconfig/lull.pc"
    let described = String(decoding: try Files.read(file, limit: 1 << 20), as: UTF8.self)
    #expect(described.contains("Version: \(numbers.joined(separator: "."))\n"))
  }

  /// Requests that no program makes of itself, and why liblull has no call for them.
  static let foreign: [String: [Verb]] = [
    "the operator's": [
      .status, .why, .alarm, .lines, .log, .wake, .suspend, .quit, .purge, .push, .notifications, .answer,
      .quiet,
      .open, .installed, .doctor, .lock, .unlock, .upgrade, .stopDaemon, .audioRoute, .adopt, .letGo,
      .recording,
    ],
    "the parent of a command's": [.command, .run, .kept, .started, .ended, .attach, .signal],
    "sound, which the ALSA device has": [.ring, .doorbell, .session, .endSession],
  ]

  /// A request that is new on the wire has a call here, or stands in the list above with its reason.
  @Test func `the header names every request of a program, and no other`() throws {
    let named = try Self.header().matches(of: /Requests?: ((?:`[a-z-]+`(?:, )?)+)/).flatMap { match in
      match.1.matches(of: /`([a-z-]+)`/).map { String($0.1) }
    }
    let programs = Set(Verb.allCases).subtracting(Self.foreign.values.joined())
    #expect(Set(named) == Set(programs.map(\.rawValue)))
  }

  @Test(arguments: ["c", "c++"])
  func `the header stands alone`(language: String) throws {
    let check = try ConnectedChild([
      "cc", "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
      "\(CPrograms.folder())/include/lull.h",
    ])
    #expect(try check.errors.untilEnd() == "")
    #expect(try check.end() == .exited(0))
  }
}

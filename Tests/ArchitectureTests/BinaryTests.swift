import LullSystem
import TestSupport
import Testing

/// An executable of the daemon, as it was linked.
struct Binary: Sendable, CustomTestStringConvertible {
  let path: String

  var testDescription: String { path }

  /// The executables in `LULL_BIN`, else those of the release build, else those of the debug build.
  static let daemons: [Binary] = {
    let builds = ["\(Tree.root)/.build/release", "\(Tree.root)/.build/debug"]
    let found = builds.first { Files.exists("\($0)/lulld") && Files.exists("\($0)/lull-guard") }
    let folder = Identity.environment("LULL_BIN") ?? found ?? builds[0]
    return ["lulld", "lull-guard"].map { Binary(path: "\(folder)/\($0)") }
  }()

  /// The shared libraries that the executable asks for.
  func neededLibraries() throws -> [String] {
    try run("readelf", "--dynamic", "--wide", path).split(separator: "\n").compactMap { line in
      line.firstMatch(of: /\(NEEDED\).*\[(.*)\]/).map { String($0.1) }
    }
  }

  /// The names of the executable's symbols, defined or not, of the symbol table and of the dynamic one.
  func symbols() throws -> [Substring] {
    try (run("nm", path) + run("nm", "--dynamic", path)).split(separator: "\n").compactMap {
      $0.split(separator: " ").last?.prefix { $0 != "@" }
    }
  }

  /// Runs a tool of the binutils and returns its output.
  private func run(_ tool: String, _ arguments: String...) throws -> String {
    let (here, there) = try UnixSocket.pair()
    var request = SpawnRequest([tool] + arguments)
    request.standardOutput = there.raw
    let child = try Process.spawn(request)
    there.close()
    _ = try Socket.poll(child.execStatus.raw, .readable, timeoutMilliseconds: 10_000)
    try #require(
      try Process.execResult(child.execStatus.raw) == .started, "\(tool) is missing: install binutils")
    let bytes = try readAll(here.raw)
    _ = try Socket.poll(child.pidfd.raw, .readable, timeoutMilliseconds: 10_000)
    let status = try Process.waitStatus(child.pidfd.raw)
    try #require(status == .exited(0), "\(tool) \(arguments) failed")
    return String(decoding: bytes, as: UTF8.self)
  }

  private func readAll(_ raw: Int32) throws -> [UInt8] {
    var buffer = ReceiveBuffer(capacity: 1 << 16)
    var bytes: [UInt8] = []
    while true {
      let ready = try Socket.poll(raw, .readable, timeoutMilliseconds: 30_000)
      try #require(!ready.isEmpty, "no end of the output")
      guard case .bytes = try Socket.read(raw, into: &buffer) else { return bytes }
      bytes += buffer.received
    }
  }
}

@Suite(.bounded) struct BinaryTests {
  /// The prefixes of the symbols that must not be in an executable. The core library's own hook for
  /// isolation, a C++ name with `swift_task` in its middle, has none of them.
  private static let foreign = [
    "$s10Foundation", "$s20FoundationEssentials", "$s8Dispatch", "dispatch_", "_dispatch_", "swift_task_",
    "swift_asyncLet", "swift_continuation_", "$sScT",
  ]

  @Test(arguments: Binary.daemons)
  func `no symbol of Foundation, Dispatch or Concurrency is linked or called`(binary: Binary) throws {
    let symbols = try binary.symbols()
    #expect(symbols.contains("main") && symbols.count > 500, "no symbol table: was it stripped?")
    let found = symbols.filter { symbol in Self.foreign.contains { symbol.hasPrefix($0) } }
    #expect(found.prefix(5) == [], "\(found.count) of them")
  }

  /// A dynamically linked build asks for libswift_Concurrency, because the compiler imports it everywhere;
  /// the shipped form has the runtime linked in, and only the part that is called.
  @Test(arguments: Binary.daemons)
  func `no library of Foundation, Dispatch or Concurrency is asked for`(binary: Binary) throws {
    let libraries = try binary.neededLibraries()
    #expect(libraries.contains { $0.hasPrefix("libc.so") }, "no dynamic section")
    let isStatic = !libraries.contains("libswiftCore.so")
    for library in libraries {
      #expect(!library.contains("Foundation"))
      #expect(!library.contains("ispatch"))
      #expect(!library.contains("asound") && !library.contains("systemd"), "\(library)")
      #expect(!(isStatic && library.contains("oncurrency")))
    }
  }

  /// Programs of others load the plugin.
  @Test func `the ALSA plugin needs the C library and ALSA, and nothing else`() throws {
    let plugin = Binary(path: "\(Tree.root)/.build/plugin/libasound_module_pcm_lull.so")
    #expect(try Set(plugin.neededLibraries()) == ["libasound.so.2", "libc.so.6"])
  }
}

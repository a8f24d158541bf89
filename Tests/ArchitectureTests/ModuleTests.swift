import TestSupport
import Testing

/// The arrows of the modules (ARCHITECTURE.md, "Modules"): they run downward only.
@Suite(.bounded) struct ModuleTests {
  private static let table: [(folder: String, mayImport: [String])] = [
    ("CLinux", []),
    ("LullModel", []),
    ("LullProgram", []),
    ("LullEngine", ["LullModel"]),
    ("LullWire", ["LullModel"]),
    ("CRing", []),
    ("liblull", []),
    ("CAlsa", []),
    ("CPulse", []),
    ("COpus", []),
    ("CSpeexDSP", []),
    ("CSndfile", []),
    ("CMpg123", []),
    ("CVorbis", []),
    ("CFlac", []),
    ("CFaad", []),
    ("CCurl", []),
    ("CSystemd", []),
    ("PcmLull", []),
    ("python3-lull", []),
    ("LullSystem", ["LullModel", "CLinux", "Glibc"]),
    ("LullInspect", ["LullModel", "LullSystem"]),
    ("LullRing", ["LullModel", "LullSystem", "CRing", "Synchronization"]),
    ("LullChannel", ["LullModel", "LullWire", "LullSystem"]),
    ("LullAudio", ["LullModel", "LullEngine", "LullRing", "LullSystem", "CAlsa", "CPulse", "CSpeexDSP"]),
    ("LullMedia", ["COpus", "CSpeexDSP"]),
    ("LullGuard", ["LullProgram", "LullModel", "LullEngine", "LullWire", "LullChannel", "LullSystem"]),
    (
      "LullDaemon",
      [
        "LullProgram", "LullModel", "LullEngine", "LullWire", "LullChannel", "LullInspect", "LullRing",
        "LullSystem", "LullGuard", "Synchronization",
      ]
    ),
    (
      "Lull",
      [
        "LullModel", "LullEngine", "LullWire", "LullChannel", "LullInspect", "LullRing", "LullSystem",
        "Synchronization",
      ]
    ),
    ("LullAsync", ["Lull", "Synchronization"]),
    ("LullTransfers", ["LullWire", "LullChannel", "LullSystem"]),
    (
      "lull-transfers",
      [
        "LullProgram", "LullTransfers", "LullWire", "LullChannel", "LullInspect", "LullSystem", "LullBus",
        "CCurl",
      ]
    ),
    ("lulld", ["LullDaemon", "LullGuard", "LullSystem"]),
    ("lull-guard", ["LullGuard", "LullSystem"]),
    (
      "lull-command",
      [
        "LullProgram", "LullModel", "LullTransfers", "LullWire", "LullChannel", "LullSystem",
        "ArgumentParser",
      ]
    ),
    (
      "lull-audio",
      [
        "LullProgram", "LullModel", "LullAudio", "LullEngine", "LullWire", "LullChannel", "LullRing",
        "LullSystem",
      ]
    ),
    (
      "lull-phone",
      [
        "Lull", "LullMedia", "LullProgram", "LullWire", "LullSystem", "CSpeexDSP", "CSndfile",
        "ArgumentParser",
      ]
    ),
    (
      "LullPlayer",
      [
        "LullModel", "Lull", "LullWire", "LullRing", "LullSystem", "CSndfile", "CMpg123", "CVorbis", "COpus",
        "CFlac", "CFaad", "CCurl",
      ]
    ),
    ("LullBus", ["LullSystem", "CSystemd"]),
    ("RemoteControl", ["Lull", "LullBus", "LullSystem", "CSystemd"]),
    ("LullLocation", ["Lull", "LullBus", "LullSystem"]),
    ("LullNotify", ["LullModel", "LullWire", "LullChannel", "LullSystem", "LullBus"]),
    ("lull-notify", ["LullProgram", "LullNotify", "LullWire", "LullChannel", "LullSystem"]),
    (
      "lull-player",
      [
        "LullProgram", "LullPlayer", "RemoteControl", "Lull", "LullWire", "LullChannel", "LullSystem",
        "ArgumentParser",
      ]
    ),
  ]

  /// The modules without Foundation, Dispatch and Concurrency: the daemon and everything it is made of.
  private static let lean = [
    "LullModel", "LullProgram", "LullEngine", "LullWire", "LullSystem", "LullInspect", "LullRing",
    "LullChannel", "LullGuard", "LullDaemon",
    "LullAudio",
    "LullMedia", "Lull", "LullPlayer", "LullTransfers", "lull-transfers", "LullBus", "LullNotify",
    "RemoteControl", "lulld", "lull-guard",
    "lull-audio",
  ]

  @Test func `every module imports only what stands below it`() throws {
    for row in Self.table {
      let files = try Tree.files(under: "Sources/\(row.folder)")
      #expect(!files.isEmpty, "no files in Sources/\(row.folder)")
      for file in files where file.path.hasSuffix(".swift") {
        for module in file.imports where !row.mayImport.contains(module) {
          Issue.record("\(file.path) imports \(module)")
        }
      }
    }
  }

  @Test func `every module has a row in the table`() throws {
    let known = Self.table.map(\.folder)
    for folder in try Tree.folders(in: "Sources") {
      #expect(known.contains(folder), "Sources/\(folder) is not in the table of this test")
    }
  }

  @Test func `only LullSystem calls the kernel`() throws {
    for file in try Tree.files(under: "Sources") where file.path.hasSuffix(".swift") {
      guard !file.path.hasPrefix("Sources/LullSystem/") else { continue }
      #expect(!file.imports.contains("Glibc") && !file.imports.contains("CLinux"), "\(file.path)")
    }
  }

  @Test(arguments: lean)
  func `no Foundation, no Dispatch, no Concurrency`(folder: String) throws {
    for file in try Tree.files(under: "Sources/\(folder)") where file.path.hasSuffix(".swift") {
      for module in file.imports where module.hasPrefix("Foundation") || module.hasSuffix("Concurrency") {
        Issue.record("\(file.path) imports \(module)")
      }
      #expect(!file.imports.contains("Dispatch"), "\(file.path)")
      guard ["async", "await", "actor", "Task"].contains(where: file.text.contains) else { continue }
      for line in file.code where line.contains(/\b(async|await|actor|Task)\b/) {
        Issue.record("\(file.path): \(line)")
      }
    }
  }

  @Test func `the engine has no Dictionary and no Set, whose order differs between runs`() throws {
    let hashed = /\bDictionary\b|\bSet\b|\[[^\[\]"()]+ ?: [^\[\]"()]+\]|\[:\]/
    for file in try Tree.files(under: "Sources/LullEngine") {
      for line in file.code where line.contains(hashed) { Issue.record("\(file.path): \(line)") }
    }
  }

  @Test func `the rules of these tests find what they look for`() {
    let file = SourceFile(
      path: "x.swift",
      text: """
        public import LullEngine
        internal import struct LullWire.Message
        @testable import LullSystem
        import Glibc // the kernel
        // import Foundation
        let table: [String: Int] = [:]
        """)
    #expect(file.imports == ["LullEngine", "LullWire", "LullSystem", "Glibc"])
    #expect(file.code.last?.contains(/\[[^\[\]"()]+ ?: [^\[\]"()]+\]|\[:\]/) == true)
    #expect(Tree.root.hasSuffix("/") == false)
  }
}

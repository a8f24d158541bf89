package import LullSystem
import Testing

/// The programs in C of the tests and examples, built with liblull by a C compiler.
package enum CPrograms {
  package enum Build: String, CaseIterable, Sendable {
    case plain
    /// With AddressSanitizer and UndefinedBehaviorSanitizer.
    case sanitized
    /// The same program on python3-lull, and on the library in Swift.
    case python, swift
  }

  struct NotBuilt: Error { let compiler: String }

  private static let plain = Result { try build(.plain) }
  private static let sanitized = Result { try build(.sanitized) }
  package static let root = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }

  /// The folder of the programs, and of liblull as it is installed. It is built before the first test that
  /// needs it.
  package static func folder(_ kind: Build = .plain) throws -> String {
    switch kind {
    case .plain: try plain.get()
    case .sanitized: try sanitized.get()
    case .python, .swift: root
    }
  }

  /// The command of the program that is told what to call.
  static func client(_ kind: Build) throws -> [String] {
    switch kind {
    case .plain, .sanitized: ["\(try folder(kind))/c-client"]
    case .python: ["/usr/bin/python3", "-B", "\(root)/Tests/Support/python-client/main.py"]
    case .swift: [try Built.helper("swift-client")]
    }
  }

  private static func build(_ kind: Build) throws -> String {
    let build = try ConnectedChild(["\(root)/Tests/Support/c-client/build", kind.rawValue])
    try Deadline().wait(build.pidfd, .readable, for: "the programs in C")
    guard try build.end() == .exited(0) else { throw NotBuilt(compiler: try build.errors.untilEnd()) }
    return "\(root)/.build/liblull/\(kind.rawValue)"
  }
}

/// Tests/Support/c-client, a program on liblull that is told what to call, or its twin in Python or Swift.
package final class CClient {
  package struct Reply {
    /// What the call returned.
    package let code: Int
    package let text: String
    package var items: [String] = []
  }

  package let child: ConnectedChild
  private var events: [String] = []

  /// `prefix` is a command that starts it, such as valgrind.
  package init(_ kind: CPrograms.Build = .plain, environment: [String], prefix: [String] = []) throws {
    child = try ConnectedChild(prefix + CPrograms.client(kind), environment: environment)
  }

  /// Says a call, and waits for its result.
  @discardableResult
  package func call(_ words: String) throws -> Reply {
    try say(words)
    return try reply()
  }

  /// Says a call to a program that may sleep.
  package func say(_ words: String) throws { try child.output.send("\(words)\n") }

  /// Waits for the result of the next call that was said.
  package func reply() throws -> Reply {
    var items: [String] = []
    while true {
      let line = try child.output.line()
      guard line.hasPrefix("= ") else {
        if line.hasPrefix("item ") { items.append(String(line.dropFirst(5))) } else { events.append(line) }
        continue
      }
      let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
      return Reply(
        code: try #require(Int(parts[1])), text: parts.count > 2 ? parts[2] : "", items: items)
    }
  }

  /// Says a call that must not fail.
  @discardableResult
  package func order(_ words: String) throws -> Reply {
    let reply = try call(words)
    try #require(reply.code >= 0, "\(words): \(reply.text)")
    return reply
  }

  /// Registers it in the background with a task, so that it stays awake: without one it sleeps at once, and
  /// hears no further word.
  package func open(_ words: String, task: String = "stay") throws {
    for word in ["manual", "open \(words)", "task \(task)", "auto"] { try order(word) }
    try wait(for: "event message 5")
  }

  /// Waits for an event, or for bytes on a line, that begins so; those before it are passed over.
  @discardableResult
  package func wait(for beginning: String) throws -> String {
    while !events.isEmpty {
      let event = events.removeFirst()
      if event.hasPrefix(beginning) { return event }
    }
    return try child.output.line { $0.hasPrefix(beginning) }
  }

  /// Lets it return from `main`, and waits for its end.
  package func end() throws -> ExitStatus {
    try say("exit")
    return try child.end()
  }
}

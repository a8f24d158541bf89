import LullSystem
import LullWire
import Testing

@testable import LullDaemon

/// Which program a daemon died of, as its guard finds it out.
@Suite struct BlameTests {
  private let link: GuardLink
  private let other: GuardLink

  init() throws {
    let (one, other) = try UnixSocket.pair()
    (link, self.other) = (GuardLink(one), GuardLink(other))
  }

  private func shelf(_ names: String...) throws -> Shelf {
    var shelf = Shelf(capacity: 10)
    for (index, name) in names.enumerated() { #expect(shelf.store(message(name, index + 10), try pidfd())) }
    return shelf
  }

  private func message(_ name: String, _ pid: Int) -> Message {
    Message(.store).adding(.name, name).adding(.pid, pid).adding(.managed, "command")
  }

  private func pidfd() throws -> DescriptorBox { DescriptorBox(try Process.pidfdOpen(Identity.pid())) }

  /// What the next daemon is handed.
  private func handed(_ shelf: inout Shelf) throws -> [String] {
    shelf.restore(over: link)
    var buffer = ReceiveBuffer(capacity: 4096)
    var told: [String] = []
    while told.last != "begin" {
      try wait(other.descriptor.raw, .readable, "the guard said nothing")
      let came = other.receiveAll(&buffer)
      told += try #require(came).map { "\($0.0.verb) \($0.0[.name] ?? "")" }
      if told.last == "begin " { told[told.count - 1] = "begin" }
    }
    return told
  }

  @Test func `the first that was not taken is blamed, and left running after three deaths`() throws {
    var shelf = try shelf("one", "two", "three")
    for death in 1...3 {
      #expect(try handed(&shelf) == ["restore one", "restore two", "restore three", "begin"])
      shelf.heard(.restored, of: "one")
      #expect(shelf.daemonDied(after: 0) == (death == 3 ? "two" : nil))
    }
    #expect(try handed(&shelf) == ["restore one", "left two", "restore three", "begin"])
  }

  @Test func `a first freeze that is not over is blamed, and one that is over clears`() throws {
    var shelf = try shelf("one", "two")
    for _ in 1...2 {
      _ = try handed(&shelf)
      for name in ["one", "two"] { shelf.heard(.restored, of: name) }
      shelf.heard(.trying, of: "two")
      #expect(shelf.daemonDied(after: 0) == nil)
    }
    _ = try handed(&shelf)
    for name in ["one", "two"] { shelf.heard(.restored, of: name) }
    shelf.heard(.trying, of: "two")
    shelf.heard(.tried, of: "two")
    #expect(shelf.daemonDied(after: 0) == nil)
    _ = try handed(&shelf)
    #expect(shelf.daemonDied(after: 0) == nil)
  }

  @Test func `nobody is blamed for the death of a daemon that had taken everything`() throws {
    var shelf = try shelf("one")
    for _ in 1...5 {
      #expect(try handed(&shelf) == ["restore one", "begin"])
      shelf.heard(.restored, of: "one")
      #expect(shelf.daemonDied(after: 0) == nil)
    }
  }

  @Test func `what is stored again keeps its deaths, another program of the name does not`() throws {
    var shelf = try shelf("one")
    for _ in 1...2 {
      _ = try handed(&shelf)
      #expect(shelf.daemonDied(after: 0) == nil)
    }
    #expect(shelf.store(message("one", 10), try pidfd()))
    #expect(shelf.daemonDied(after: 0) == "one")
    #expect(shelf.store(message("one", 11), try pidfd()))
    #expect(try handed(&shelf) == ["restore one", "begin"])
  }

  @Test func `a full shelf takes no other program`() throws {
    var shelf = Shelf(capacity: 1)
    #expect(shelf.store(message("one", 10), try pidfd()))
    #expect(!shelf.store(message("two", 11), try pidfd()))
    #expect(shelf.store(message("one", 12), try pidfd()))
  }

  @Test func `a link that nobody reads never waits, and asks for everything anew afterwards`() throws {
    let own = try pidfd()
    let text = String(repeating: "x", count: 1000)
    for number in 1...2000 { link.tell(message("\(number)\(text)", number), descriptor: own) }
    #expect(link.hasLost && link.hasOutput)
    var buffer = ReceiveBuffer(capacity: 1 << 16)
    var isAnew = false
    while link.hasOutput {
      let came = other.receiveAll(&buffer)
      for (message, descriptor) in try #require(came) {
        #expect(message.verb == "store" && descriptor != nil)
      }
      isAnew = link.flush()
    }
    #expect(isAnew && !link.hasLost)
  }

  @Test func `a description of 64 KiB arrives whole`() throws {
    let text = String(repeating: "\u{1}", count: 10_000)
    link.tell(message("one", 1).adding(.text, text))
    var buffer = ReceiveBuffer(capacity: 1 << 17)
    var came: [(Message, DescriptorBox?)] = []
    while came.isEmpty {
      try wait(other.descriptor.raw, .readable, "the link brought nothing")
      let part = other.receiveAll(&buffer)
      came = try #require(part)
    }
    #expect(came[0].0[.text] == text)
  }
}

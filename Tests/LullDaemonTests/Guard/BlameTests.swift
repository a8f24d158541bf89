import LullChannel
import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The program that a daemon died of, as its guard finds it out.
@Suite(.bounded) struct BlameTests {
  private let link: MessageChannel
  private let other: MessageChannel

  init() throws {
    let (one, other) = try UnixSocket.pair()
    (link, self.other) = (MessageChannel(guardLink: one), MessageChannel(guardLink: other))
  }

  private func fdStore(_ names: String...) throws -> FdStore {
    let fdStore = FdStore(capacity: 10, SupervisionPolicy())
    for (index, name) in names.enumerated() { #expect(fdStore.store(message(name, index + 10), try pidfd())) }
    return fdStore
  }

  private func message(_ name: String, _ pid: Int) -> Message {
    Message(.store).adding(.name, name).adding(.pid, pid).adding(.managed, "command")
  }

  private func pidfd() throws -> DescriptorBox { DescriptorBox(try Process.pidfdOpen(Identity.pid())) }

  /// The programs that the next daemon is handed.
  private func handed(_ fdStore: FdStore) throws -> [String] {
    fdStore.restore(over: link)
    var buffer = ReceiveBuffer(capacity: 4096)
    var told: [String] = []
    while told.last != "begin" {
      try ready(other.socket.raw, .readable, "the guard said nothing")
      let came = other.receiveAll(&buffer)
      told += try #require(came).map { "\($0.0.verb) \($0.0[.name] ?? "")" }
      if told.last == "begin " { told[told.count - 1] = "begin" }
    }
    return told
  }

  @Test func `the first that was not taken is blamed, and left running after three deaths`() throws {
    let fdStore = try fdStore("one", "two", "three")
    for death in 1...3 {
      #expect(try handed(fdStore) == ["restore one", "restore two", "restore three", "begin"])
      fdStore.noteProgress(.restored, of: "one")
      #expect(fdStore.daemonDied(after: 0) == (death == 3 ? "two" : nil))
    }
    #expect(try handed(fdStore) == ["restore one", "left two", "restore three", "begin"])
  }

  @Test func `a first freeze that is not over is blamed, and one that is over clears`() throws {
    let fdStore = try fdStore("one", "two")
    for _ in 1...2 {
      _ = try handed(fdStore)
      for name in ["one", "two"] { fdStore.noteProgress(.restored, of: name) }
      fdStore.noteProgress(.trying, of: "two")
      #expect(fdStore.daemonDied(after: 0) == nil)
    }
    _ = try handed(fdStore)
    for name in ["one", "two"] { fdStore.noteProgress(.restored, of: name) }
    fdStore.noteProgress(.trying, of: "two")
    fdStore.noteProgress(.tried, of: "two")
    #expect(fdStore.daemonDied(after: 0) == nil)
    _ = try handed(fdStore)
    #expect(fdStore.daemonDied(after: 0) == nil)
  }

  @Test func `nobody is blamed for the death of a daemon that had taken everything`() throws {
    let fdStore = try fdStore("one")
    for _ in 1...5 {
      #expect(try handed(fdStore) == ["restore one", "begin"])
      fdStore.noteProgress(.restored, of: "one")
      #expect(fdStore.daemonDied(after: 0) == nil)
    }
  }

  @Test func `what is stored again keeps its deaths, another program of the name does not`() throws {
    let fdStore = try fdStore("one")
    for _ in 1...2 {
      _ = try handed(fdStore)
      #expect(fdStore.daemonDied(after: 0) == nil)
    }
    #expect(fdStore.store(message("one", 10), try pidfd()))
    #expect(fdStore.daemonDied(after: 0) == "one")
    #expect(fdStore.store(message("one", 11), try pidfd()))
    #expect(try handed(fdStore) == ["restore one", "begin"])
  }

  @Test func `a full store takes no other program`() throws {
    let fdStore = FdStore(capacity: 1, SupervisionPolicy())
    #expect(fdStore.store(message("one", 10), try pidfd()))
    #expect(!fdStore.store(message("two", 11), try pidfd()))
    #expect(fdStore.store(message("one", 12), try pidfd()))
  }

  @Test func `a description of 64 KiB arrives whole`() throws {
    let text = String(repeating: "\u{1}", count: 10_000)
    link.tell(message("one", 1).adding(.text, text))
    var buffer = ReceiveBuffer(capacity: 1 << 17)
    var came: [(Message, DescriptorBox?)] = []
    while came.isEmpty {
      try ready(other.socket.raw, .readable, "the link brought nothing")
      let part = other.receiveAll(&buffer)
      came = try #require(part)
    }
    #expect(came[0].0[.text] == text)
  }
}

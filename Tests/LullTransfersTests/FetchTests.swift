import Glibc
import LullSystem
import TestSupport
import Testing

@testable import LullTransfers

/// lull-transfers, aria2 and nginx, without lulld.
@Suite(.bounded, .serialized) struct FetchTests {
  @Test func `a file appears at its place when it is whole`() throws {
    let site = try Site()
    let page = try site.page("page", bytes: 3_000_000)
    try site.page("empty", bytes: 0)
    try site.fetch()
    let (transfer, empty) = (try site.add(site.url("page")), try site.add(site.url("empty")))
    for one in [transfer, empty] { try site.wait(for: one) { $0.state == .finished && $0.isTold } }
    #expect(try site.isSame(page, transfer.destination))
    #expect(!Files.exists(transfer.partialPath) && Files.exists(empty.destination))
    #expect(site.store.transfer(transfer.identifier)?.receivedBytes == 3_000_000)
  }

  @Test func `a link that breaks a hundred times has less than 1 % fetched twice`() throws {
    let site = try Site()
    let size = 128 << 20
    let page = try site.page("page", bytes: size)
    let link = try BreakingLink(to: site.port, bytes: size / 102, breaks: 100)
    try site.fetch()
    let transfer = try site.add(site.url("page", port: link.port))
    try site.wait(for: transfer) { $0.state == .finished }
    #expect(try site.isSame(page, transfer.destination))
    let (bytes, breaks) = try link.end()
    #expect(breaks == 0 && bytes < size / 100 * 101, "\(bytes) bytes of \(size), \(breaks) breaks left")
  }

  @Test(arguments: [("nothing", "no such file (404)"), ("gone-on/x", "refuses to go on")])
  func `what the server does not give fails for good`(name: String, words: String) throws {
    let site = try Site()
    try site.fetch()
    let transfer = try site.add(site.url(name))
    try site.wait(for: transfer) { $0.word == "failed" && $0.reason?.contains(words) == true && $0.isTold }
    #expect(!Files.exists(transfer.destination) && !Files.exists(transfer.partialPath))
  }

  /// A shorter file is one for which the server says 416 to a client that has no validator.
  @Test(arguments: [3_000_000, 900_000])
  func `a file that changes is never mixed with the one before`(bytes: Int) throws {
    let site = try Site()
    try site.page("page", bytes: 3_000_000)
    try site.fetch()
    let transfer = try site.add(site.url("slow/page"))
    try site.wait(for: transfer) { $0.receivedBytes > 1_000_000 }
    try site.breakDown()
    let page = try site.page("page", bytes: bytes)
    try Kernel.check(
      unsafe utimes(page, [timeval(tv_sec: 1000, tv_usec: 0), timeval(tv_sec: 1000, tv_usec: 0)]))
    try site.fetch()
    try site.wait(for: transfer) { $0.state == .finished }
    #expect(try site.isSame(page, transfer.destination))
    #expect(site.store.transfer(transfer.identifier)?.restarts == 1)
  }

  @Test func `a full disk fails in one line, and nothing is left on it`() throws {
    let site = try Site()
    let disk = "\(site.folder.path)/disk"
    try Kernel.check(unsafe mkdir(disk, 0o755))
    try Kernel.check(unsafe mount("none", disk, "tmpfs", 0, "size=1m"))
    defer { _ = unsafe umount(disk) }
    try site.page("page", bytes: 3_000_000)
    try site.fetch()
    let transfer = try site.add(site.url("page"), to: "\(disk)/page")
    try site.wait(for: transfer) { $0.state == .failed("the disk is full") }
    #expect(try Files.entries(of: Array(disk.utf8)).isEmpty)
  }

  @Test func `what was fetched before a restart of the machine is not fetched again`() throws {
    let site = try Site()
    let page = try site.page("page", bytes: 3_000_000)
    try site.fetch()
    let transfer = try site.add(site.url("slow/page"))
    try site.wait(for: transfer) { $0.receivedBytes > 1_000_000 }
    let aria = try site.aria()
    try site.breakDown()
    try eventually("aria2 outlives it") { Files.exists("/proc/\(aria)") == false }
    let before = transfer.receivedBytes
    #expect(before > 1_000_000)
    let link = try BreakingLink(to: site.port, bytes: 0, breaks: 0)
    var moved = try #require(site.store.transfer(transfer.identifier))
    moved =
      Transfer(
        identifier: moved.identifier,
        record: moved.record.replacing(":\(site.port)/slow", with: ":\(link.port)"))
      ?? moved
    try site.store.write(moved)
    try site.fetch()
    try site.wait(for: transfer) { $0.state == .finished }
    #expect(try site.isSame(page, transfer.destination))
    #expect(Int64(try link.end().bytes) < 3_000_000 - before + 30_000)
  }

  @Test func `aria2 that hangs or is killed is started again`() throws {
    let site = try Site()
    let page = try site.page("page", bytes: 3_000_000)
    try site.fetch(options: ["--patience", "1"])
    let transfer = try site.add(site.url("slow/page"))
    try Process.kill(try site.aria(), Signal.stop)
    try site.wait(for: transfer) { $0.reason == "no byte came for 1 s; it is tried again" }
    try Process.kill(try site.aria(), Signal.kill)
    try site.wait(for: transfer) { $0.state == .finished }
    #expect(try site.isSame(page, transfer.destination))
  }

  @Test func `aria2 that is gone is told in one line`() throws {
    let site = try Site()
    try site.page("page", bytes: 10)
    try site.fetch(path: "/no/such/folder")
    let transfer = try site.add(site.url("page"))
    try site.wait(for: transfer) { $0.reason == "aria2c cannot be started; is the package aria2 installed?" }
  }

  @Test func `a transfer that is cancelled leaves nothing, and one with a wrong checksum neither`() throws {
    let site = try Site()
    try site.page("page", bytes: 3_000_000)
    try site.fetch()
    let transfer = try site.add(site.url("slow/page"))
    try site.wait(for: transfer) { $0.receivedBytes > 0 }
    try site.store.mark(transfer.identifier)
    try eventually("something is left") {
      try site.store.transfer(transfer.identifier) == nil && !Files.exists(transfer.partialPath)
        && site.store.marked().isEmpty
    }
    let zeros = String(repeating: "0", count: 64)
    let other = try site.add(site.url("page"), checksum: "sha-256=\(zeros)")
    try site.wait(for: other) { $0.state == .failed("the file has another checksum") }
    #expect(!Files.exists(other.destination) && !Files.exists(other.partialPath))
  }

  /// The end of one transfer that fails is told at once, the others when the last one has ended.
  @Test func `a session that is not over is told of a failure alone`() throws {
    let site = try Site()
    try site.page("page", bytes: 3_000_000)
    try site.page("small", bytes: 10)
    try site.fetch()
    let (slow, small) = (try site.add(site.url("slow/page")), try site.add(site.url("small")))
    try site.wait(for: small) { $0.state == .finished }
    #expect(site.store.transfer(small.identifier)?.isTold == false)
    let wrong = try site.add(site.url("nothing"))
    try site.wait(for: wrong) { $0.word == "failed" && $0.isTold }
    #expect(site.store.transfer(slow.identifier)?.isOpen == true)
  }
}

import LullSystem
import TestSupport
import Testing

@testable import LullTransfers
@testable import lull_transfers

@Suite(.bounded) struct RecordTests {
  @Test(arguments: [
    Transfer.State.open(why: nil), .open(why: "waits for mains power"), .finished,
    .failed("the disk is full"),
  ])
  func `a transfer is read as it was written`(state: Transfer.State) throws {
    var transfer = Transfer(
      identifier: "00000000000000ff", session: "issues", program: "reader", url: "https://example.org/a b",
      destination: "/srv/an issue.pdf", isDiscretionary: true, checksum: "sha-256=00", addedAt: 17)
    (transfer.state, transfer.expectedBytes, transfer.restarts) = (state, 1 << 40, 2)
    (transfer.validator, transfer.isTold) = ("If-Match: \"a b\"", true)
    #expect(Transfer(identifier: "00000000000000ff", record: transfer.record) == transfer)
  }

  @Test func `half of a record is none`() {
    #expect(Transfer(identifier: "00000000000000ff", record: "session s\nurl http://a\n") == nil)
  }

  @Test(arguments: [
    ("ftp://example.org/a", "/tmp/a", "must be a URL that begins with http:// or https://"),
    ("http:a", "/tmp/a", "must be a URL"), ("http://a b", "/tmp/a", "must be a URL"),
    ("http://a/b", "a", "must be the path of a file"), ("http://a/b", "/tmp/", "must be the path of a file"),
    ("http://a/b", "/tmp", "is there already"), ("http://a/b", "/no/such/a", "there is no such folder"),
  ])
  func `what cannot be fetched is told in one line`(url: String, path: String, words: String) throws {
    let folder = try TemporaryDirectory()
    let session = try TransferSession(
      identifier: "s", program: nil, store: TransferStore("\(folder.path)/transfers"))
    let error = try #require(throws: TransferError.self) { try session.enqueue(url, to: path) }
    #expect(error.description.contains(words) && !error.description.contains("\n"), "\(error)")
    #expect(try session.transfers().isEmpty)
  }

  @Test func `a session and a link have one name`() throws {
    let folder = try TemporaryDirectory()
    let store = TransferStore(folder.path)
    #expect(throws: TransferError.self) { try TransferSession(identifier: "a/b", program: nil, store: store) }
    let session = try TransferSession(identifier: "a-b.1", program: "reader", store: store)
    #expect(TransferSession.identifier(of: session.link) == "a-b.1")
    #expect(TransferSession.identifier(of: "sip:a-b.1") == nil)
  }

  @Test func `a force-quit removes what is open of that program`() throws {
    let folder = try TemporaryDirectory()
    let store = TransferStore("\(folder.path)/transfers")
    for (program, path) in [("reader", "a"), ("reader", "b"), ("other", "c")] {
      _ = try TransferSession(identifier: "s", program: program, store: store)
        .enqueue("http://h/\(path)", to: "\(folder.path)/\(path)")
    }
    var done = try #require(try store.transfers().first { $0.url == "http://h/b" })
    done.state = .finished
    try store.write(done)
    store.cancelAll(of: "reader")
    #expect(try store.transfers().map(\.url).sorted() == ["http://h/b", "http://h/c"])
  }

  @Test(
    arguments: [
      ("\"a\"", "Mon", "If-Match: \"a\""), ("W/\"a\"", "Mon", "If-Unmodified-Since: Mon"), (nil, nil, nil),
    ] as [(String?, String?, String?)])
  func `a weak tag cannot be asked for`(tag: String?, date: String?, validator: String?) {
    #expect(Head.validator(tag: tag, date: date) == validator)
    let head = Head(status: 200, length: 5, validator: validator)
    #expect(Head(head.text) == head)
  }

  @Test(arguments: [
    (9, "", "the disk is full"), (22, "status=403", "the server says 403"),
    (24, "", "the server says 401"), (32, "", "the file has another checksum"),
  ])
  func `what will not go better fails`(status: Int32, output: String, words: String) {
    #expect(Verdict(.exited(status), output: output) == .failed(words))
  }

  @Test func `what may go better is tried again`() {
    #expect(Verdict(.exited(22), output: "status=500") == .later("the server says 500"))
    #expect(Verdict(.exited(22), output: "status=412") == .changed)
    for status in [1, 2, 6, 19, 29, 127] as [Int32] {
      guard case .later = Verdict(.exited(status), output: "") else {
        Issue.record("\(status)")
        continue
      }
    }
    guard case .later = Verdict(.signaled(9), output: "") else {
      Issue.record("SIGKILL")
      return
    }
  }
}

import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct SystemdJournalTests {
  private let folder: TemporaryDirectory
  private var path: String { "\(folder.path)/socket" }

  init() throws { folder = try TemporaryDirectory() }

  /// The datagrams that wait at a socket.
  private func datagrams(_ raw: Int32) throws -> [String] {
    var buffer = ReceiveBuffer(capacity: 1 << 16)
    var found: [String] = []
    while case .bytes = try UnixSocket.receive(into: &buffer, from: raw) {
      found.append(String(decoding: buffer.received, as: UTF8.self))
    }
    return found
  }

  @Test func `each new entry is one datagram with its fields`() throws {
    let socket = try UnixSocket.datagrams(at: path)
    let journal = Journal()
    var earlier = Journal.Entry(at: 1, program: nil, what: "started")
    earlier.origin = .earlier
    journal.note(earlier)
    let systemd = SystemdJournal(path: path)
    var woke = Journal.Entry(
      at: 2, program: "phone", what: "woke", cause: "data", line: 7, detail: "12 bytes")
    (woke.peer, woke.waitedMicroseconds) = ("10.0.0.7:5090", 31)
    journal.note(woke)
    journal.note(at: 3, program: nil, what: "unexpected", detail: "a\nb")
    systemd.write(journal)
    systemd.write(journal)
    let found = try datagrams(socket.raw)
    #expect(
      found.first == """
        MESSAGE=phone woke (data), line 7: 12 bytes
        PRIORITY=6
        SYSLOG_IDENTIFIER=lulld
        LULL_EVENT=woke
        LULL_PROGRAM=phone
        LULL_CAUSE=data
        LULL_LINE=7
        LULL_DETAIL=12 bytes
        LULL_PEER=10.0.0.7:5090
        LULL_WAITED_USEC=31

        """)
    let length = "\u{3}" + String(repeating: "\0", count: 7)
    #expect(
      found.last?.hasSuffix(
        "PRIORITY=4\nSYSLOG_IDENTIFIER=lulld\nLULL_EVENT=unexpected\n"
          + "LULL_DETAIL\n\(length)a\nb\n") == true, "\(found)")
    #expect(found.count == 2)
  }

  @Test func `a storm is spread over turns, and what is not taken is dropped`() throws {
    let socket = try UnixSocket.datagrams(at: path)
    let (journal, systemd) = (Journal(), SystemdJournal(path: path))
    for number in 0..<5000 { journal.note(at: Int64(number), program: "a", what: "n\(number)") }
    var turns = 0
    repeat {
      systemd.write(journal)
      turns += 1
    } while systemd.hasBacklog
    #expect(turns == Journal.capacity / 64)
    // The kernel lets few datagrams wait (net.unix.max_dgram_qlen).
    let found = try datagrams(socket.raw)
    #expect(found.first?.contains("LULL_EVENT=n2952\n") == true && found.count < Journal.capacity)
    journal.note(at: 0, program: "a", what: "last")
    systemd.write(journal)
    #expect(try datagrams(socket.raw).last?.contains("LULL_EVENT=last\n") == true)
  }

  @Test func `without systemd nothing is sent`() {
    let (journal, systemd) = (Journal(), SystemdJournal(path: path))
    journal.note(at: 1, program: nil, what: "started")
    systemd.write(journal)
    #expect(!systemd.hasBacklog)
  }
}

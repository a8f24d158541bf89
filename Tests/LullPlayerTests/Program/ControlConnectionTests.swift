import Lull
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import lull_player

@Suite(.bounded) struct ControlConnectionTests {
  /// A connection that answers each request by a long text line with its number, and the client's end.
  private final class Stage {
    let application: Application
    let client: DescriptorBox
    private(set) var connection: ControlConnection?
    private(set) var answered = 0
    private var buffer = ReceiveBuffer(capacity: 65_536)

    init() throws {
      application = try Application(name: "stage", modes: [.externalAccessory], host: .embedded)
      let (own, other) = try UnixSocket.pair()
      client = other
      connection = try ControlConnection(own, in: application) { [weak self] in self?.serve($0) }
    }

    private func serve(_ connection: ControlConnection) {
      while connection.nextMessage() != nil {
        answered += 1
        let text = String(repeating: "x", count: 1000)
        connection.answer([Message("ok", Field("index", String(answered)), Field("text", text))])
      }
      connection.sendAnswers()
    }

    func ask(_ count: Int) throws {
      let bytes = Array(String(repeating: "status\n", count: count).utf8)
      #expect(try UnixSocket.send(bytes, to: client.raw) == .sent(bytes.count))
    }

    /// The bytes that the client takes now.
    func take() throws -> String {
      var bytes: [UInt8] = []
      while case .bytes = try Socket.read(client.raw, into: &buffer) { bytes += buffer.received }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// A turn of the application's loop, which must have work.
    func turn() throws {
      try ready(application.fileDescriptor, .readable)
      application.dispatch()
    }
  }

  @Test func `a client that takes its answers bit by bit gets all of them, in order`() throws {
    let stage = try Stage()
    try stage.ask(1000)
    var text = ""
    while text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) < 1000 {
      try stage.turn()
      text += try stage.take()
    }
    let indexes = text.split(separator: "\n").map { $0.split(separator: " ")[1] }
    #expect(indexes.map(String.init) == (1...1000).map { "index=\($0)" })
    #expect(stage.connection?.isOpen == true)
  }

  @Test func `a client that takes no answer is not asked for another question`() throws {
    let stage = try Stage()
    try stage.ask(1000)
    while stage.answered < 1000 { try stage.turn() }
    try stage.ask(1)
    stage.application.dispatch()
    #expect(stage.answered == 1000)
    while stage.answered < 1001 {
      _ = try stage.take()
      try stage.turn()
    }
  }

  @Test func `a client that takes nothing is dropped`() throws {
    let stage = try Stage()
    try stage.ask(1000)
    while stage.connection?.isOpen == true { try stage.turn() }
    #expect(stage.answered == 1000)
    #expect(try stage.take().hasPrefix("ok index=1 "))
  }

  @Test func `a client that goes away with its answer half taken is let go`() throws {
    let stage = try Stage()
    try stage.ask(1000)
    while stage.answered < 1000 { try stage.turn() }
    stage.client.close()
    while stage.connection?.isOpen == true { try stage.turn() }
  }
}

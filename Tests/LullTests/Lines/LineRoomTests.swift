import LullSystem
import TestSupport
import Testing

@testable import Lull

@Suite(.bounded) struct LineRoomTests {
  @Test func `Room is told instead of bytes, and bytes afterwards`() throws {
    let it = try Managed()
    let (ours, theirs) = try UnixSocket.pair()
    let recorder = it.recorder
    let line = try it.application.hold(ours.raw, as: .accessory) {
      recorder.events.append("bytes")
      var buffer = ReceiveBuffer(capacity: 16)
      _ = try? Socket.read(ours.raw, into: &buffer)
    }
    _ = try Socket.write(theirs.raw, [1])
    line.onWritable = { [weak line] in
      recorder.events.append("room")
      line?.onWritable = nil
    }
    try it.until { recorder.events.count == 2 }
    #expect(recorder.events == ["room", "bytes"])
  }

  @Test func `While a line waits for room, the program has not finished`() throws {
    let it = try Managed()
    let (ours, theirs) = try UnixSocket.pair()
    let line = try it.application.hold(ours.raw, as: .accessory) {}
    line.onWritable = {}
    it.application.finishedHandlingWake()
    it.application.dispatch()
    _ = it.application.backgroundTimeRemaining
    #expect(it.daemon.requests.last == "remaining")
    it.daemon.forget()
    line.onWritable = nil
    #expect(try it.requests(1) == ["done ticket=3"])
    withExtendedLifetime(theirs) {}
  }
}

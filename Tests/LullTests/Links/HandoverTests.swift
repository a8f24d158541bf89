import LullChannel
import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import Lull

/// The lines of a program that the daemon may not take by itself.
@Suite(.bounded) struct HandoverTests {
  @Test func `A daemon without ptrace rights is handed each line, then told`() throws {
    let it = try Managed { $0.hasPrefix("register") ? "ok name=phone state=background handover=true" : nil }
    let (first, _) = try UnixSocket.pair()
    let (second, _) = try UnixSocket.pair()
    _ = try it.application.hold(first.raw)
    _ = try it.application.hold(second.raw)
    try it.daemon.send("event prepare ticket=21")
    let requests = try it.requests(5)
    let lines = it.application.lines.compactMap { $0.id?.number }
    #expect(
      requests.suffix(3) == [
        "handover line=\(lines[0]) ticket=21", "handover line=\(lines[1]) ticket=21", "ready ticket=21",
      ])
    #expect(
      it.daemon.handed.suffix(2).map(\.file) == [
        try FileIdentity.of(first.raw), try FileIdentity.of(second.raw),
      ])
  }

  @Test func `After it was handed over a line waits for the next notice`() throws {
    let it = try Managed { $0.hasPrefix("register") ? "ok name=phone state=background handover=true" : nil }
    let (ours, theirs) = try UnixSocket.pair()
    let recorder = it.recorder
    _ = try it.application.hold(ours.raw) {
      recorder.events.append("line")
      _ = try? read(ours, count: 1)
    }
    try it.daemon.send("event prepare ticket=21")
    #expect(try it.requests(3).last == "ready ticket=21")
    #expect(try Socket.write(theirs.raw, [1]) == .sent(1))
    try it.daemon.send("event wake ticket=22 reason=data")
    try it.until { recorder.events.count == 2 }
    #expect(recorder.events == ["didWake data", "line"])
  }
}

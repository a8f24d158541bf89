import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import Lull

/// A daemon that ends while a program is being started.
@Suite(.bounded) struct LaunchLossTests {
  private static let launched = [
    "willFinishLaunching background", "didFinishLaunching", "didEnterBackground background",
  ]

  @Test func `A daemon that ends before it has answered is lost like any other`() throws {
    let it = try Managed(launched: false) { $0.hasPrefix("register") ? FakeDaemon.death : nil }
    let recorder = it.recorder
    try it.until { recorder.events.count == 3 }
    #expect(recorder.events == Self.launched)
    let (ours, _) = try UnixSocket.pair()
    let line = try it.application.hold(ours.raw)
    it.daemon.answer { _ in nil }
    try it.until { line.id != nil }
    let requests = it.daemon.requests
    #expect(requests.suffix(2) == [requests[0] + " resume=background", "hold fd=\(ours.raw) type=voip"])
    #expect(recorder.events == Self.launched)
  }

  @Test(arguments: 0...3)
  func `A launch that broke off goes on where it was`(told: Int) throws {
    let it = try Managed(launched: false)
    let messages = ["willFinishLaunching", "didFinishLaunching", "didEnterBackground"]
    for (index, message) in messages.prefix(told).enumerated() {
      try it.daemon.send("event deliver message=\(message) ticket=\(index + 1)")
    }
    let (daemon, recorder) = (it.daemon, it.recorder)
    try it.until { daemon.requests.count == 1 + told }
    #expect(recorder.events == Array(Self.launched.prefix(told)))
    #expect(try it.restarted(1).first?.hasSuffix("resume=background") == true)
    try it.until { it.application.link.isUp }
    #expect(recorder.events == Self.launched)
  }

  @Test func `One that is launched into the foreground becomes active`() throws {
    let it = try Managed(launch: .foreground, launched: false) {
      $0.hasPrefix("register") ? FakeDaemon.death : nil
    }
    let recorder = it.recorder
    try it.until { recorder.events.last == "didBecomeActive active" }
    it.daemon.answer { _ in nil }
    try it.until { it.application.link.isUp }
    #expect(it.daemon.requests.last?.hasSuffix("resume=active") == true)
  }
}

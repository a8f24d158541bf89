import LullSystem
import LullWire
import Testing

@testable import LullDaemon

/// A daemon with many programs of 250 lines each. All of them are the test's own process, which must never be
/// frozen. So the daemon works with signals and the programs stay in the foreground.
final class Crowd {
  static let linesEach = 250

  let daemon: DaemonProcess
  let boss: Peer
  let other: Peer
  let speakers: [Peer]

  init(programs: Int) throws {
    daemon = try DaemonProcess(hasCgroups: false)
    // Both connect before this process becomes a program.
    (boss, other) = (try daemon.connect(), try daemon.connect())
    #expect(try boss.ask("hello").isOK && other.ask("hello").isOK)
    var speakers: [Peer] = []
    for _ in 0..<programs {
      let speaker = try daemon.connect()
      #expect(try speaker.ask("hello").last[.identity] == "operator")
      speakers.append(speaker)
    }
    self.speakers = speakers
    let counter = try EventDescriptor()
    for (index, speaker) in speakers.enumerated() {
      #expect(try speaker.ask("register name=p\(index) modes=voip resume=active").isOK)
      for _ in 0..<Self.linesEach {
        let answer = try speaker.ask("hold fd=\(counter.raw)", descriptor: counter.raw)
        #expect(answer.isOK, "\(answer)")
      }
    }
  }

  /// Checks that the answer has every line once.
  func expectAll(_ response: Peer.Response) {
    #expect(response.isOK)
    #expect(response.items(.line).count == speakers.count * Self.linesEach)
    #expect(Set(response.items(.line).map { $0[.id] }).count == speakers.count * Self.linesEach)
    #expect(response.last[.count] == "\(response.items.count)")
  }
}

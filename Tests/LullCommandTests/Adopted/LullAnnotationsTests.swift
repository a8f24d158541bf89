import LullModel
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct LullAnnotationsTests {
  @Test func `the words are those of the command line`() throws {
    let settings = try #require(
      try LullAnnotations.settings(in: [
        "lull.mode": "voip,fetch", "lull.keep-alive": "600", "lull.linger": "3", "lull.timers": "never",
        "lull.ignore": "9100, 9200", "lull.ignore-peer": "10.0.0.0/8 127.0.0.1",
        "lull.answer-probe": "/healthz", "io.kubernetes.pod.name": "shop",
      ]))
    #expect(settings.modes == [.voip, .fetch])
    #expect(settings.keepAlive == .seconds(600) && settings.linger == .seconds(3))
    #expect(settings.timers == .never)
    #expect(settings.ignore == [9100, 9200])
    #expect(settings.ignoredPeers.map(\.description) == ["10.0.0.0/8", "127.0.0.1"])
    #expect(settings.probes.map(\.description) == ["/healthz"])
  }

  @Test func `a container without them is not meant`() throws {
    #expect(try LullAnnotations.settings(in: ["tier": "front", "lullaby.mode": "x"]) == nil)
    #expect(try LullAnnotations.settings(in: [:]) == nil)
  }

  @Test(arguments: [
    (
      ["lull.mode": "voip", "lull.lingre": "3"],
      "lull.lingre: no such annotation; there are lull.mode, lull.keep-alive, lull.linger, lull.timers, "
        + "lull.ignore, lull.ignore-peer, lull.answer-probe"
    ),
    (["lull.mode": "voip", "lull.linger": "soon"], "lull.linger soon: must be 1 to 3600 s"),
    (["lull.mode": "sleepy"], "lull.mode sleepy: each must be one of \(Modes.words.joined(separator: ", "))"),
    (["lull.mode": "voip", "lull.keep-alive": "5"], "lull.keep-alive 5: must be 600 s or more"),
    (["lull.linger": "3"], "lull.linger: only beside lull.mode, such as lull.mode: voip"),
    (["lull.mode": "voip", "lull.env": "A=1"], "lull.env: no such annotation"),
    (["lull.mode": ""], "lull.mode : each must be one of"),
  ])
  func `what is wrong is told in one line`(annotations: [String: String], line: String) throws {
    let failure = #expect(throws: Failure.self) { try LullAnnotations.settings(in: annotations) }
    #expect(failure?.message?.hasPrefix(line) == true, "\(failure?.message ?? "")")
    #expect(failure?.mayPass == false)
  }
}

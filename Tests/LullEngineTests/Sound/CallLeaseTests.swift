import LullEngine
import TestSupport
import Testing

/// Recordings and calls: what holds their leases, and what is only called so.
@Suite(.bounded) struct CallLeaseTests {
  @Test func `recording keeps it awake while it runs`() throws {
    var script = Script()
    script.player("recorder", modes: .audio, category: .record) { $0.direction = .capture }
    script.hear("recorder", 1, .began)
    #expect(try script.leases("recorder") == [.recording])
    #expect(script.pass(to: 3600) == [])
    #expect(script.hear("recorder", 1, .ended) == ["freeze recorder"])
  }

  @Test(arguments: [AudioCategory.ambient, .soloAmbient, .playback])
  func `what is captured for no recording holds nothing`(category: AudioCategory) throws {
    var script = Script()
    script.player("recorder", modes: .audio, category: category) { $0.direction = .capture }
    script.frozen("recorder")
    #expect(script.hear("recorder", 1, .began) == [])
    #expect(try script.leases("recorder") == [])
  }

  @Test func `recording in the background needs the mode`() throws {
    var script = Script()
    script.player("recorder", modes: .voip, category: .record) { $0.direction = .capture }
    script.hear("recorder", 1, .began)
    #expect(try script.leases("recorder") == [])
  }

  @Test func `a call in which somebody speaks keeps awake, and half a minute after it`() throws {
    var script = Script()
    script.player("phone", modes: [.voip, .audio], category: .playAndRecord)
    script.hear("phone", 1, .began)
    script.sounds("phone")
    #expect(try script.leases("phone") == [.audible, .call])
    #expect(script.pass(to: 3600) == [])
    script.quiet("phone", 10)
    #expect(try script.view("phone").leases.map(\.ends) == [Moment(3610), Moment(3630)])
    #expect(script.pass(to: 3631) == ["3630 s: freeze phone"])
  }

  @Test func `a call in which the microphone is open keeps awake however silent the other is`() throws {
    var script = Script()
    script.player("phone", modes: [.voip, .audio], category: .playAndRecord)
    script.open("phone", .playAndRecord) { $0.direction = .capture }
    script.hear("phone", 2, .began)
    script.hear("phone", 1, .began)
    #expect(script.pass(to: 3600) == [])
    #expect(try script.leases("phone") == [.recording, .call])
    script.hear("phone", 1, .ended)
    #expect(script.hear("phone", 2, .ended) == ["freeze phone"])
  }

  @Test func `silence that is called a call holds nothing after the start`() throws {
    var script = Script()
    script.player("phone", modes: [.voip, .audio], category: .playAndRecord)
    script.command("phone", .wake)
    script.hear("phone", 1, .began)
    script.done("phone")
    #expect(try script.leases("phone") == [.audible, .call])
    #expect(script.pass(to: 13) == ["12 s: freeze phone"])
    script.frozen("phone")
    #expect(script.state("phone") == .suspended)
  }

  @Test func `VoIP alone is not heard in the background, and calls nobody there`() throws {
    var script = Script()
    script.launched("phone", .voip)
    script.open("phone", .playAndRecord)
    script.hear("phone", 1, .began)
    script.sounds("phone")
    #expect(try script.leases("phone") == [.audible, .call])
    let effects = script.leaveForeground("phone")
    #expect(effects.contains("hold phone's session 1") && effects.contains("freeze phone"))
  }

  @Test func `both directions without VoIP are no call`() throws {
    var script = Script()
    script.player("studio", modes: .audio, category: .playAndRecord) { $0.direction = .capture }
    script.hear("studio", 1, .began)
    #expect(try script.leases("studio") == [.recording])
  }
}

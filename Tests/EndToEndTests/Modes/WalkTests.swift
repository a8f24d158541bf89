import LullSystem
import LullWire
import TestSupport
import Testing

/// Examples/Location and the GeoClue of the distribution.
@Suite(.bounded) struct WalkTests {
  @Test func `a walk of 2 km with a filter of 100 m wakes a sleeping program 20 times`() throws {
    try #require(Files.exists(GeoClueService.program), "this test needs GeoClue: apt-get install geoclue-2.0")
    let geoClue = try GeoClueService()
    let lull = try Lull(environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(geoClue.address)"])
    let journal = try lull.journal()
    let walker = try ConnectedChild([Built.helper("location-example")], environment: lull.environment)
    try geoClue.waitForClient()
    try journal.waitUntilAsleep("walker", lull)
    let before = try #require(Int(try lull.field(.wakes, of: "walker")))
    // 1.4 m each second, as people walk. GeoClue tells the first place, and then what is 100 m from the last
    // one that it told.
    var wakes = 0
    var told = -1000.0
    for second in 0...1428 {
      let metres = 1.4 * Double(second)
      try geoClue.fix(52.5 + metres / 111_195, 13.4)
      guard metres - told >= 100.4 else { continue }
      (told, wakes) = (metres, wakes + 1)
      try journal.wait("woke", of: "walker", cause: "location")
      try journal.waitForSleep(of: "walker")
    }
    let count = try #require(Int(try lull.field(.wakes, of: "walker"))) - before
    #expect((19...21).contains(count), "\(count) wakes, not \(wakes)")
    #expect(try walker.isAlive)
  }

  @Test func `a map that is seen again has the last 100 places of the walk`() throws {
    try #require(Files.exists(GeoClueService.program), "this test needs GeoClue: apt-get install geoclue-2.0")
    let geoClue = try GeoClueService()
    let lull = try Lull(environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(geoClue.address)"])
    let walker = try ConnectedChild(Lull.example("location-example"), environment: lull.environment)
    try geoClue.waitForClient()
    for place in 0..<103 {
      try geoClue.fix(52 + Double(place) / 100, 13.4)
      _ = try walker.output.line { $0.contains(" 13.4") }
    }
    #expect(try lull.run("foreground", "walker").status == .exited(0))
    let map = try walker.output.line { $0.hasPrefix("a map") }
    #expect(map.hasPrefix("a map from 52.03") && map.hasSuffix(" with 100 pins"), "\(map)")
    #expect(map.contains(" to 53.02"), "\(map)")
  }
}

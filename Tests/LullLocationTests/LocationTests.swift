import Lull
import LullBus
import TestSupport
import Testing

@testable import LullLocation

@Suite(.bounded) struct LocationTests {
  /// 10 m to the north, in degrees.
  private static let step = 10 / 111_195.0

  @Test func `a walk of 2 km with a filter of 100 m wakes the program 20 times`() throws {
    let stage = try LocationStage()
    try stage.start {
      $0.distanceFilter = 100
      try $0.startUpdatingLocation()
    }
    try stage.fallAsleep()
    let before = stage.wakes.count
    var told = 0
    for metres in stride(from: 0, through: 2000, by: 10) {
      try stage.fallAsleep()
      try stage.bus.fix(52.5 + Double(metres) / 10 * Self.step, 13.4, at: Int64(1000 + metres))
      guard metres % 100 == 0 else { continue }
      told += 1
      try stage.until("not at \(metres) m") { stage.places.count == told }
    }
    let wakes = stage.wakes.dropFirst(before)
    #expect((19...21).contains(wakes.count) && Set(wakes) == [.location], "\(wakes)")
  }

  @Test func `a place has what GeoClue knows, and nothing else`() throws {
    let stage = try LocationStage()
    try stage.start("walker 8 0 0") { try $0.startUpdatingLocation() }
    try stage.bus.fix(-33.25, -70.5, at: 1_700_000_000)
    try stage.wait(forEvent: "at -33.25/-70.5")
    let place = try #require(stage.manager?.location)
    #expect(place.accuracy == 5 && place.heading == 90 && place.unixTime == 1_700_000_000)
    #expect(place.altitude == nil && place.speed == nil && place.description.isEmpty)
  }

  @Test func `the filters and the accuracy are GeoClue's, and change while it tells`() throws {
    let stage = try LocationStage()
    try stage.start("walker 4 100 60") {
      ($0.desiredAccuracy, $0.distanceFilter, $0.deferral) = (.city, 99.5, 60)
      try $0.startUpdatingLocation()
    }
    let manager = try #require(stage.manager)
    (manager.distanceFilter, manager.deferral) = (.nan, .infinity)
    try stage.wait(for: "walker 4 0 \(UInt32.max)")
    manager.deferral = 0
    manager.desiredAccuracy = .exact
    try stage.wait(for: "walker 8 0 0")
    try manager.startMonitoringSignificantLocationChanges()
    try stage.wait(for: "walker 5 500 300")
    manager.stop()
    try stage.wait(for: "")
  }

  @Test func `what the user does not allow is told, and what the user takes back`() throws {
    let denied = try LocationStage(denied: true)
    try #require(denied.manager).startUpdatingLocation()
    try denied.wait(forEvent: "allowed false")
    #expect(denied.manager?.isAllowed == false)
    let stage = try LocationStage()
    try stage.start("walker 8 0 0") { try $0.startUpdatingLocation() }
    try stage.fallAsleep()
    try stage.bus.allowPlaces(false)
    try stage.wait(forEvent: "allowed false")
    try stage.bus.allowPlaces(true)
    try stage.wait(forEvent: "allowed true")
  }

  @Test func `a place at 0/0 is doubted once, and told`() throws {
    let stage = try LocationStage()
    try stage.start("walker 8 0 0") { try $0.startUpdatingLocation() }
    for (latitude, time) in [(0.0, 1000), (0.0, 1001), (52.5, 1002), (0.0, 1003)] {
      let told = stage.places.count
      try stage.bus.fix(latitude, 0, at: Int64(time))
      try stage.until("not told") { stage.places.count == told + 1 }
    }
    let doubt = "GeoClue told the place 0/0: its receiver may not know where it is"
    try stage.wait(forEvent: doubt)
    #expect(
      stage.events == ["allowed true", "at 0.0/0.0", doubt, "at 0.0/0.0", "at 52.5/0.0", "at 0.0/0.0", doubt])
  }

  @Test func `a place in the future is doubted, and those after it are told`() throws {
    let stage = try LocationStage()
    try stage.start("walker 8 0 0") { try $0.startUpdatingLocation() }
    try stage.bus.fix(52.5, 13.4, at: 9_000_000_000)
    try stage.until("not doubted") { stage.events.last?.contains("s in the future: the clock") == true }
    // Asked anew, GeoClue does not compare with that place.
    try stage.until("not told") {
      try stage.bus.fix(52.6, 13.4, at: 1000)
      return stage.places.contains("at 52.6/13.4")
    }
    #expect(stage.events.filter { $0.contains("future") }.count == 1)
  }

  @Test func `a GeoClue that has ended is replaced unheard`() throws {
    let stage = try LocationStage()
    try stage.start("walker 8 0 0") { try $0.startUpdatingLocation() }
    try stage.bus.fix(52.5, 13.4, at: 1000)
    try stage.wait(forEvent: "at 52.5/13.4")
    try stage.bus.endGeoClue()
    try stage.wait(for: "walker 8 0 0")
    try stage.bus.fix(52.6, 13.4, at: 1000)
    try stage.wait(forEvent: "at 52.6/13.4")
    #expect(stage.events.count == 3)
  }

  @Test func `without its mode, or a bus, it does not start`() throws {
    let stage = try LocationStage(modes: .voip)
    let manager = try #require(stage.manager)
    #expect(throws: BusError.self) { try manager.startUpdatingLocation() }
    let other = try LocationStage()
    other.manager?.kindOfBus = .address("unix:path=/nonexistent")
    #expect(throws: BusError.self) { try #require(other.manager).startUpdatingLocation() }
  }
}

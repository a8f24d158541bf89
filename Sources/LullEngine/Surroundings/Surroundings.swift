/// A change around the programs, as a shell sees it.
public enum Surrounding: Equatable, Sendable {
  /// Addresses or routes of the network changed.
  case network
  /// Whether there is a route to the world.
  case online(Bool)
  /// The machine's time zone is this one now: any text that differs from zone to zone.
  case zone(String)
  case power(Power)
  case accessory
  case lock(Bool)
  /// The machine is about to sleep, or goes on: no program is active meanwhile.
  case sleep(Bool)
  /// The file of settings of this program changed.
  case settings(AppID)
}

/// A thing without a value is a count of its changes.
struct Surroundings: Equatable, Sendable {
  private static let leastJump = Interval.seconds(1)
  private static let second: Int64 = 1_000_000_000

  private(set) var network: UInt64 = 0
  private(set) var route: UInt64 = 0
  private(set) var accessory: UInt64 = 0
  private(set) var memory: UInt64 = 0
  /// Wall clock minus the engine's clock, in nanoseconds; nil until the shell tells it.
  private(set) var wallOffset: Int64?
  private(set) var zone: String?
  private(set) var day: LocalDay?
  /// The end of `day` on the engine's clock.
  private(set) var dayEnds = Moment.never
  private var localZone: ZoneRules?
  private var zoneNumber: UInt64 = 0
  private(set) var power = Power()
  private(set) var isLocked = false
  private(set) var isAboutToSleep = false
  /// True where the shell does not tell.
  private(set) var isOnline = true

  mutating func take(_ change: Surrounding) {
    switch change {
    case .network: network &+= 1
    case .online(let isOn): isOnline = isOn
    case .zone(let name): zone = name
    case .power(let now): power = now
    case .accessory: accessory &+= 1
    case .lock(let isOn): isLocked = isOn
    case .sleep(let begins): isAboutToSleep = begins
    case .settings: break
    }
  }

  mutating func changeRoute() { route &+= 1 }

  mutating func memoryIsShort() { memory &+= 1 }

  mutating func setClock(_ offset: Int64, at now: Moment) -> Bool {
    guard wallOffset == nil || isJump(from: wallOffset, to: offset) else { return false }
    wallOffset = offset
    findDay(at: now)
    return true
  }

  mutating func setLocalZone(_ zone: ZoneRules, at now: Moment) {
    guard zone != localZone else { return }
    localZone = zone
    zoneNumber &+= 1
    findDay(at: now)
  }

  /// Returns true when another day has begun.
  mutating func pass(to now: Moment) -> Bool {
    guard dayEnds <= now else { return false }
    let old = day
    findDay(at: now)
    return day != old
  }

  private mutating func findDay(at now: Moment) {
    guard let localZone, let wallOffset else { return }
    let wall = (now + Interval(nanoseconds: wallOffset)).nanoseconds
    let found = LocalDay(at: CivilDate.divide(wall, by: Self.second).whole, in: localZone)
    let (end, isTooLate) = found.end.multipliedReportingOverflow(by: Self.second)
    let next = Moment(nanoseconds: end) - Interval(nanoseconds: wallOffset)
    // At the ends of the numbers a day has no end.
    (day, dayEnds) = (found, isTooLate || next <= now ? .never : next)
  }

  /// A value that changed and came back is no change.
  func changes(since seen: Surroundings) -> SurroundingChanges {
    var changes: SurroundingChanges = []
    if network != seen.network { changes.insert(.network) }
    if isJump(from: seen.wallOffset, to: wallOffset) || hasNewDay(since: seen) { changes.insert(.time) }
    if let old = seen.zone, old != zone { changes.insert(.zone) }
    if power != seen.power { changes.insert(.power) }
    if route != seen.route { changes.insert(.route) }
    if accessory != seen.accessory { changes.insert(.accessory) }
    if memory != seen.memory { changes.insert(.memory) }
    if isLocked != seen.isLocked { changes.insert(.lock) }
    return changes
  }

  /// A program that registers assumes the default power and no lock, so it is told of anything else.
  var atRegistration: Surroundings {
    var granted = self
    (granted.power, granted.isLocked) = (Power(), false)
    return granted
  }

  /// Another zone is told as such.
  private func hasNewDay(since seen: Surroundings) -> Bool {
    guard let day, let old = seen.day, zoneNumber == seen.zoneNumber else { return false }
    return day.number != old.number || day.offset != old.offset
  }

  private func isJump(from old: Int64?, to new: Int64?) -> Bool {
    guard let old, let new else { return false }
    let (distance, overflows) = new.subtractingReportingOverflow(old)
    return overflows || distance.magnitude >= UInt64(Self.leastJump.nanoseconds)
  }
}

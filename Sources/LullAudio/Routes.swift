/// The devices of one direction and which session is on which.
///
/// A device has a station from when a session first needs it until it is closed and no session is on it. A
/// session whose device cannot be opened goes on with the usual device, and returns when its own is there
/// again.
public final class Routes<Place: Station> {
  /// A device, and when its next pass is due.
  final class Lane {
    let name: String
    let station: Place
    /// Since when sessions are on it.
    let since: Int64
    /// How long it is waited before the device is tried again if it fails.
    let patience: Int64
    var due: Int64?
    var isTouched = true

    init(_ name: String, _ station: Place, since: Int64, patience: Int64) {
      (self.name, self.station, self.since, self.patience) = (name, station, since, patience)
    }
  }

  /// A session: the device that it is to be on, and the one that it is on.
  struct Seat {
    let id: UInt64
    var wanted: String
    var lane: Lane
  }

  /// A device that sessions are to be on and that cannot be opened.
  struct Absence {
    let name: String
    var probeAt: Int64
    var patience: Int64
  }

  /// A device that is missing for so long is given up for now, in nanoseconds.
  static var bound: Int64 { 500_000_000 }
  /// The shortest and the longest wait before it is tried again, in nanoseconds.
  static var patiences: ClosedRange<Int64> { 1_000_000_000...8_000_000_000 }
  /// One that worked for less than this is waited for longer the next time, in nanoseconds.
  static var trial: Int64 { 10_000_000_000 }

  /// The device for sessions that name none.
  public let usual: String
  private let make: (String) -> Place
  let canOpen: (String) -> Bool
  let report: (RouteReport) -> Void
  private(set) var lanes: [Lane] = []
  var seats: [Seat] = []
  var absences: [Absence] = []

  /// `make` makes the station of a device, `canOpen` opens and closes it, `report` is called in a pass or a
  /// move.
  public init(
    usual: String, make: @escaping (String) -> Place, canOpen: @escaping (String) -> Bool,
    report: @escaping (RouteReport) -> Void
  ) {
    (self.usual, self.make, self.canOpen, self.report) = (usual, make, canOpen, report)
  }

  /// A new session on the device that it names; a pass should follow.
  public func add(_ session: Place.Session, id: UInt64, to device: String?, now: Int64) {
    let wanted = device ?? usual
    let isAbsent = absences.contains { $0.name == wanted }
    let lane = lane(isAbsent ? usual : wanted, now: now)
    seats.append(Seat(id: id, wanted: wanted, lane: lane))
    lane.station.add(session)
    lane.isTouched = true
    if isAbsent { report(RouteReport(id, from: wanted, to: usual, .oldDeviceUnavailable)) }
  }

  /// The session is closed; a pass should follow.
  public func remove(_ id: UInt64, now: Int64) {
    guard let index = seats.firstIndex(where: { $0.id == id }) else { return }
    let lane = seats.remove(at: index).lane
    lane.station.remove(id, now: now)
    lane.isTouched = true
  }

  /// Another order for a session; a pass should follow.
  public func order(_ id: UInt64, _ order: SessionOrder, now: Int64) {
    guard let seat = seats.first(where: { $0.id == id }) else { return }
    seat.lane.station.order(id, order, now: now)
    seat.lane.isTouched = true
  }

  /// The program of a session asks for a look; a pass should follow.
  public func touch(_ id: UInt64) { seats.first { $0.id == id }?.lane.isTouched = true }

  /// A session goes on with another device, at the frame that is heard; a pass should follow. One that plays
  /// stays where it is when that device cannot be opened.
  public func move(_ id: UInt64, to device: String?, now: Int64) {
    guard let index = seats.firstIndex(where: { $0.id == id }) else { return }
    let wanted = device ?? usual
    seats[index].wanted = wanted
    let seat = seats[index]
    guard seat.lane.name != wanted else { return }
    if let absence = absences.firstIndex(where: { $0.name == wanted }) {
      // It is tried again in the pass that follows.
      absences[absence].probeAt = now
      return carry(index, to: usual, .oldDeviceUnavailable, now: now)
    }
    let isThere = wanted == usual || !seat.lane.station.needsDevice(id) || isOpen(wanted) || canOpen(wanted)
    if !isThere { miss(wanted, Self.patiences.lowerBound, now: now) }
    carry(index, to: isThere ? wanted : usual, isThere ? .override : .oldDeviceUnavailable, now: now)
  }

  func isOpen(_ name: String) -> Bool { lanes.contains { $0.name == name && $0.station.isOpen } }

  func miss(_ name: String, _ patience: Int64, now: Int64) {
    absences.append(Absence(name: name, probeAt: now + patience, patience: patience))
  }

  /// Moves a session. It is told even where it stays: it is not where it is to be.
  func carry(_ index: Int, to name: String, _ reason: RouteReport.Reason, now: Int64) {
    let (id, old) = (seats[index].id, seats[index].lane)
    let lane = lane(name, now: now)
    if lane !== old, let session = old.station.release(id, now: now) {
      lane.station.join(session, now: now)
      seats[index].lane = lane
      (old.isTouched, lane.isTouched) = (true, true)
    }
    report(RouteReport(id, from: old.name, to: name, reason))
  }

  /// The station of a device, which is made where there is none.
  func lane(_ name: String, patience: Int64 = 0, now: Int64) -> Lane {
    if let lane = lanes.first(where: { $0.name == name }) { return lane }
    let lane = Lane(name, make(name), since: now, patience: patience)
    lanes.append(lane)
    return lane
  }

  /// Forgets devices that nobody is on and that are closed, and absences that nobody waits for.
  func prune() {
    lanes.removeAll { lane in
      lane.name != usual && !lane.station.isOpen && !seats.contains { $0.lane === lane }
    }
    absences.removeAll { absence in !seats.contains { $0.wanted == absence.name } }
  }
}

/// The devices of one direction and the sessions on each.
///
/// A device gets a station when a session first needs the device, and loses it when the device is closed and
/// has no session. A session whose device cannot be opened goes on with the usual device, and returns when
/// its own can be opened again.
package final class Routes<Place: Station> {
  /// A device with its station, and the time of its next pass.
  final class Lane {
    let name: String
    let station: Place
    /// The time since which sessions are on the device.
    let since: Int64
    /// The wait before the device is tried again if it fails.
    let patience: Int64
    var due: Int64?
    var isTouched = true

    init(_ name: String, _ station: Place, since: Int64, patience: Int64) {
      (self.name, self.station, self.since, self.patience) = (name, station, since, patience)
    }
  }

  /// A session with the device that it wants and the device that it is on.
  struct Seat {
    var id: UInt64
    var wanted: String
    var lane: Lane
  }

  /// A device that sessions want and that cannot be opened.
  struct Absence {
    let name: String
    var probeAt: Int64
    var patience: Int64
  }

  /// The nanoseconds after which a missing device is given up for now.
  static var bound: Int64 { 500_000_000 }
  /// The shortest and the longest wait before a missing device is tried again, in nanoseconds.
  static var patiences: ClosedRange<Int64> { 1_000_000_000...8_000_000_000 }
  /// The nanoseconds for which a device must work; after less, the next wait for it is longer.
  static var trial: Int64 { 10_000_000_000 }

  /// The device for sessions that name none.
  package let usual: String
  private let make: (String) -> Place
  let canOpen: (String) -> Bool
  let report: (RouteReport) -> Void
  private(set) var lanes: [Lane] = []
  var seats: [Seat] = []
  var absences: [Absence] = []

  /// `canOpen` opens and closes a device; `report` is called in a pass or a move.
  package init(
    usual: String, make: @escaping (String) -> Place, canOpen: @escaping (String) -> Bool,
    report: @escaping (RouteReport) -> Void
  ) {
    (self.usual, self.make, self.canOpen, self.report) = (usual, make, canOpen, report)
  }

  /// A pass should follow.
  package func add(_ session: Place.Session, id: UInt64, to device: String?, now: Int64) {
    let wanted = device ?? usual
    let isAbsent = absences.contains { $0.name == wanted }
    let lane = lane(isAbsent ? usual : wanted, now: now)
    seats.append(Seat(id: id, wanted: wanted, lane: lane))
    lane.station.add(session)
    lane.isTouched = true
    if isAbsent { report(RouteReport(id, from: wanted, to: usual, .oldDeviceUnavailable)) }
  }

  /// A pass should follow.
  package func remove(_ id: UInt64, now: Int64) {
    guard let index = seats.firstIndex(where: { $0.id == id }) else { return }
    let lane = seats.remove(at: index).lane
    lane.station.remove(id, now: now)
    lane.isTouched = true
  }

  package func renumber(_ id: UInt64, to new: UInt64) {
    guard let index = seats.firstIndex(where: { $0.id == id }) else { return }
    seats[index].id = new
    seats[index].lane.station.renumber(id, to: new)
  }

  /// Has a session go on as another opening of its ring, under the number of that, by its order and on the
  /// device that it names; a pass should follow. False where it cannot go on.
  package func claim(
    _ id: UInt64, as request: SessionRequest, doorbell: Doorbell, on device: String?, now: Int64
  ) -> Bool {
    guard let index = seats.firstIndex(where: { $0.id == id }),
      seats[index].lane.station.claim(id, as: request, doorbell: doorbell)
    else { return false }
    seats[index].id = request.id
    seats[index].lane.isTouched = true
    order(request.id, request.order, now: now)
    move(request.id, to: device, now: now)
    return true
  }

  /// A pass should follow.
  package func order(_ id: UInt64, _ order: AudioOrder, now: Int64) {
    guard let seat = seats.first(where: { $0.id == id }) else { return }
    seat.lane.station.order(id, order, now: now)
    seat.lane.isTouched = true
  }

  /// Makes the next pass serve the device of a session, because its program rang; a pass should follow.
  package func touch(_ id: UInt64) { seats.first { $0.id == id }?.lane.isTouched = true }

  /// Moves a session to another device, at the frame that plays now; a pass should follow. A session that
  /// plays goes to the usual device when the other one cannot be opened.
  package func move(_ id: UInt64, to device: String?, now: Int64) {
    guard let index = seats.firstIndex(where: { $0.id == id }) else { return }
    let wanted = device ?? usual
    seats[index].wanted = wanted
    let seat = seats[index]
    guard seat.lane.name != wanted else { return }
    if let absence = absences.firstIndex(where: { $0.name == wanted }) {
      // The pass that follows tries the missing device again.
      absences[absence].probeAt = now
      return carry(index, to: usual, .oldDeviceUnavailable, now: now)
    }
    let isThere = wanted == usual || !seat.lane.station.needsDevice(id) || isOpen(wanted) || canOpen(wanted)
    if !isThere { miss(wanted, Self.patiences.lowerBound, now: now) }
    carry(index, to: isThere ? wanted : usual, isThere ? .override : .oldDeviceUnavailable, now: now)
  }

  package func isOpen(_ name: String) -> Bool { lanes.contains { $0.name == name && $0.station.isOpen } }

  func miss(_ name: String, _ patience: Int64, now: Int64) {
    absences.append(Absence(name: name, probeAt: now + patience, patience: patience))
  }

  /// Moves a session, and reports it even if the session stays, because then it is not on the device that it
  /// wants.
  func carry(_ index: Int, to name: String, _ reason: RouteReason, now: Int64) {
    let (id, old) = (seats[index].id, seats[index].lane)
    let lane = lane(name, now: now)
    if lane !== old, let session = old.station.release(id, now: now) {
      lane.station.join(session, now: now)
      seats[index].lane = lane
      (old.isTouched, lane.isTouched) = (true, true)
    }
    report(RouteReport(id, from: old.name, to: name, reason))
  }

  func lane(_ name: String, patience: Int64 = 0, now: Int64) -> Lane {
    if let lane = lanes.first(where: { $0.name == name }) { return lane }
    let lane = Lane(name, make(name), since: now, patience: patience)
    lanes.append(lane)
    return lane
  }

  func prune() {
    lanes.removeAll { lane in
      lane.name != usual && !lane.station.isOpen && !seats.contains { $0.lane === lane }
    }
    absences.removeAll { absence in !seats.contains { $0.wanted == absence.name } }
  }
}

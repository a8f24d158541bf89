/// A session plays on another device, or captures from another one.
package struct RouteReport: Equatable, Sendable {
  package var session: UInt64
  package var old: String
  package var device: String
  package var reason: RouteReason

  package init(_ session: UInt64, from old: String, to device: String, _ reason: RouteReason) {
    (self.session, self.old, self.device, self.reason) = (session, old, device, reason)
  }
}

/// One device and the sessions on it: a ``Renderer`` or a ``Capturer``. Whoever changes the sessions lets a
/// pass follow.
package protocol Station: AnyObject {
  associatedtype Session: RingSession
  var sessions: [Session] { get }
  func add(_ session: Session)
  /// The session has been closed.
  func remove(_ id: UInt64, now: Int64)
  /// The session comes from another device and goes on at once.
  func join(_ session: Session, now: Int64)
  /// The session goes on on another device, with the frame that follows the last one of this device.
  func release(_ id: UInt64, now: Int64) -> Session?
  /// Has a session go on as another opening of its ring, under the number of that, without a missing frame;
  /// false where it cannot.
  func claim(_ id: UInt64, as request: SessionRequest, doorbell: Doorbell) -> Bool
  func order(_ id: UInt64, _ order: AudioOrder, now: Int64)
  /// Returns the time of the next pass; nil when none is due until a session changes.
  func pass(now: Int64) -> Int64?
  func needsDevice(_ id: UInt64) -> Bool
  /// The time since which the device could not be opened though a session needs it.
  var missingSince: Int64? { get }
  var device: ShownDevice { get }
  /// The library's text for the reason why the device could not be opened.
  var complaint: String { get }
}

extension Station {
  func session(_ id: UInt64) -> Session? { sessions.first { $0.request.id == id } }

  var isOpen: Bool { if case .open = device { true } else { false } }
}

/// The devices of one direction and the sessions on each. Whoever changes the sessions lets a pass follow.
///
/// A device has a station from the first session on it until it is closed and has no session. A session whose
/// device cannot be opened goes on with the usual device, and returns when its own can be opened again.
package final class Routes<Place: Station> {
  private final class Lane {
    let name: String
    let station: Place
    /// The time since which sessions are on the device.
    let since: Int64
    /// The wait that ended with the return of the device; 0 for a device that was not missing.
    let patience: Int64
    var due: Int64?
    var isTouched = true

    init(_ name: String, _ station: Place, since: Int64, patience: Int64) {
      (self.name, self.station, self.since, self.patience) = (name, station, since, patience)
    }
  }

  private struct Seat {
    var id: UInt64
    var wanted: String
    var lane: Lane
  }

  /// A device that sessions want and that cannot be opened.
  private struct Absence {
    let name: String
    var probeAt: Int64
    var patience: Int64
  }

  /// The nanoseconds after which a missing device is given up for now.
  private static var bound: Int64 { 500_000_000 }
  /// The nanoseconds before a missing device is tried again.
  private static var patiences: ClosedRange<Int64> { 1_000_000_000...8_000_000_000 }
  /// The nanoseconds for which a device must work; after less, the next wait for it is longer.
  private static var trial: Int64 { 10_000_000_000 }

  /// The device for sessions that name none.
  package let usual: String
  private let make: (String) -> Place
  private let canOpen: (String) -> Bool
  private let report: (RouteReport) -> Void
  private var lanes: [Lane] = []
  private var seats: [Seat] = []
  private var absences: [Absence] = []

  /// `canOpen` opens and closes a device; `report` is called in a pass or a move.
  package init(
    usual: String, make: @escaping (String) -> Place, canOpen: @escaping (String) -> Bool,
    report: @escaping (RouteReport) -> Void
  ) {
    (self.usual, self.make, self.canOpen, self.report) = (usual, make, canOpen, report)
  }

  package func add(_ session: Place.Session, id: UInt64, to device: String?, now: Int64) {
    let wanted = device ?? usual
    let isAbsent = absences.contains { $0.name == wanted }
    let lane = lane(isAbsent ? usual : wanted, now: now)
    seats.append(Seat(id: id, wanted: wanted, lane: lane))
    lane.station.add(session)
    lane.isTouched = true
    if isAbsent { report(RouteReport(id, from: wanted, to: usual, .oldDeviceUnavailable)) }
  }

  package func remove(_ id: UInt64, now: Int64) {
    guard let index = seats.firstIndex(where: { $0.id == id }) else { return }
    let lane = seats.remove(at: index).lane
    lane.station.remove(id, now: now)
    lane.isTouched = true
  }

  package func renumber(_ id: UInt64, to new: UInt64) {
    guard let index = seats.firstIndex(where: { $0.id == id }) else { return }
    seats[index].id = new
    seats[index].lane.station.session(id)?.renumber(to: new)
  }

  /// Has a session go on as another opening of its ring, under the number of that, by its order and on the
  /// device that it names; false where it cannot.
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

  package func order(_ id: UInt64, _ order: AudioOrder, now: Int64) {
    guard let seat = seats.first(where: { $0.id == id }) else { return }
    seat.lane.station.order(id, order, now: now)
    seat.lane.isTouched = true
  }

  /// The program of a session rang: the next pass serves its device.
  package func touch(_ id: UInt64) { seats.first { $0.id == id }?.lane.isTouched = true }

  /// Moves a session to another device, at the frame that plays now. A session that plays goes to the usual
  /// device when the other one cannot be opened.
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

  private func miss(_ name: String, _ patience: Int64, now: Int64) {
    absences.append(Absence(name: name, probeAt: now + patience, patience: patience))
  }

  /// Moves a session, and reports it even if the session stays, because then it is not on the device that it
  /// wants.
  private func carry(_ index: Int, to name: String, _ reason: RouteReason, now: Int64) {
    let (id, old) = (seats[index].id, seats[index].lane)
    let lane = lane(name, now: now)
    if lane !== old, let session = old.station.release(id, now: now) {
      lane.station.join(session, now: now)
      seats[index].lane = lane
      (old.isTouched, lane.isTouched) = (true, true)
    }
    report(RouteReport(id, from: old.name, to: name, reason))
  }

  private func lane(_ name: String, patience: Int64 = 0, now: Int64) -> Lane {
    if let lane = lanes.first(where: { $0.name == name }) { return lane }
    let lane = Lane(name, make(name), since: now, patience: patience)
    lanes.append(lane)
    return lane
  }

  private func prune() {
    lanes.removeAll { lane in
      lane.name != usual && !lane.station.isOpen && !seats.contains { $0.lane === lane }
    }
    absences.removeAll { absence in !seats.contains { $0.wanted == absence.name } }
  }
}

extension Routes {
  /// Returns the time of the next pass; nil when none is due until a session changes.
  package func pass(now: Int64) -> Int64? {
    comeBack(now: now)
    passLanes(now: now)
    fallBack(now: now)
    passLanes(now: now)
    prune()
    return next
  }

  private func passLanes(now: Int64) {
    for lane in lanes where lane.isTouched || lane.due.map({ $0 <= now }) ?? false {
      lane.isTouched = false
      let due = lane.station.pass(now: now)
      let end = lane.name == usual ? nil : lane.station.missingSince.map { $0 + Self.bound }
      lane.due = [due, end.flatMap { $0 > now ? $0 : nil }].compactMap { $0 }.min()
    }
  }

  /// Moves the sessions of devices that are missing for too long to the usual device, if that can be opened.
  private func fallBack(now: Int64) {
    for lane in lanes where lane.name != usual {
      guard let since = lane.station.missingSince, now - since >= Self.bound, isOpen(usual) || canOpen(usual)
      else { continue }
      let hasProved = now - lane.since >= Self.trial + Self.bound || lane.patience == 0
      let patience = hasProved ? Self.patiences.lowerBound : min(2 * lane.patience, Self.patiences.upperBound)
      miss(lane.name, patience, now: now)
      for index in seats.indices where seats[index].lane === lane {
        carry(index, to: usual, .oldDeviceUnavailable, now: now)
      }
    }
  }

  private func comeBack(now: Int64) {
    for absence in absences where absence.probeAt <= now && isNeeded(absence) {
      absences.removeAll { $0.name == absence.name }
      guard canOpen(absence.name) else {
        miss(absence.name, min(2 * absence.patience, Self.patiences.upperBound), now: now)
        continue
      }
      _ = lane(absence.name, patience: absence.patience, now: now)
      for index in seats.indices where seats[index].wanted == absence.name {
        carry(index, to: absence.name, .newDeviceAvailable, now: now)
      }
    }
  }

  /// No wake-up is spent on a device that nothing would use.
  private func isNeeded(_ absence: Absence) -> Bool {
    seats.contains { $0.wanted == absence.name && $0.lane.station.needsDevice($0.id) }
  }

  private var next: Int64? {
    let probes = absences.filter(isNeeded).map(\.probeAt)
    return (lanes.compactMap(\.due) + probes).min()
  }
}

extension Routes {
  package var usualDevice: ShownDevice { lanes.first { $0.name == usual }?.station.device ?? .closed }
  package var sessions: [Place.Session] { lanes.flatMap(\.station.sessions) }

  /// The state of the device of each session, in the order of `sessions`.
  package var devices: [ShownDevice] {
    lanes.flatMap { repeatElement($0.station.device, count: $0.station.sessions.count) }
  }

  package var complaint: String { lanes.lazy.map(\.station.complaint).first { !$0.isEmpty } ?? "" }
}

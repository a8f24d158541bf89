import LullEngine
import LullSystem
import LullWire

extension KeptNotification {
  /// The description of a notification for the next lulld.
  init(_ record: NotificationRecord, _ clock: EngineClock) {
    self.init(
      id: record.id, program: record.program, content: record.content,
      state: record.fires == nil ? .pending : .scheduled, repeats: record.repeats?.rule,
      zone: record.repeats?.zone, first: record.first.map { Interval(nanoseconds: max(0, $0)) })
    switch record.fires {
    case .wall(let nanoseconds): date = Interval(nanoseconds: max(0, nanoseconds))
    case .engine(let moment):
      let boottime = clock.boottime(at: moment)
      due = max(0, boottime)
      // After a restart of the machine its clocks have nothing in common but the date.
      let wait = Interval(nanoseconds: boottime) - Interval(nanoseconds: Clock.boottime())
      date = max(.zero, Interval(nanoseconds: Clock.realtime()) + wait)
    case nil: due = record.shown.map { max(0, clock.boottime(at: $0)) }
    }
  }

  /// The notification as the engine keeps it; `isSameBoot`: the machine has run on since it was described.
  func record(_ clock: EngineClock, isSameBoot: Bool = true) -> NotificationRecord {
    var fires: NotificationRecord.FireTime?
    if state == .scheduled {
      if let due, isSameBoot {
        fires = .engine(clock.moment(atBoottime: due))
      } else {
        fires = .wall(date?.nanoseconds ?? 0)
      }
    }
    let shown = state == .pending && isSameBoot ? due.map(clock.moment(atBoottime:)) : nil
    return NotificationRecord(
      id: id, program: program, content: content, fires: fires, shown: shown, repeats: repetition,
      first: first?.nanoseconds)
  }

  /// A zone that has gone from the machine is UTC.
  private var repetition: Repetition? {
    switch repeats {
    case nil: nil
    case .every(let interval): .every(interval)
    case .calendar(let unit): .calendar(unit, (try? ZoneRules.read(zone)) ?? .utc(name: zone))
    }
  }
}

extension Repetition {
  fileprivate var rule: RepeatRule {
    switch self {
    case .every(let interval): .every(interval)
    case .calendar(let unit, _): .calendar(unit)
    }
  }

  /// The word or the number of the protocol.
  var word: String {
    switch self {
    case .every(let interval): Message(.ok).adding(.repeat, interval)[.repeat] ?? ""
    case .calendar(let unit, _): unit.rawValue
    }
  }

  /// The name of its zone; nil for the machine's own, and for none.
  var zone: String? { if case .calendar(_, let zone) = self { zone.name } else { nil } }
}

/// A time zone that is not there, as one text line.
struct ZoneError: Error, CustomStringConvertible {
  let description: String
}

extension ZoneRules {
  /// The rules of the zone of that name; nil is the machine's own, which is UTC where nothing is set.
  static func read(_ name: String?) throws(ZoneError) -> ZoneRules {
    let bytes: [UInt8]
    do {
      bytes = try ZoneFile.read(name, root: Identity.environment("LULL_SYSTEM_ROOT") ?? "")
    } catch {
      if name == nil { return .utc() }
      throw ZoneError(description: "no time zone \"\(name ?? "")\"; a name is like Europe/Berlin")
    }
    guard let rules = ZoneRules(name: name, file: bytes) else {
      throw ZoneError(description: "the file of the time zone \(name ?? "/etc/localtime") cannot be read")
    }
    return rules
  }
}

import LullEngine
import LullSystem
import LullWire

extension Repetition {
  /// As the protocol writes it.
  var word: String {
    switch self {
    case .every(let interval): Message(.ok).adding(.repeat, interval)[.repeat] ?? ""
    case .calendar(let unit, _): unit.rawValue
    }
  }
}

struct ZoneError: Error { let why: Explanation }

extension ZoneRules {
  /// A nil name stands for the machine's own zone, which is UTC where nothing is set.
  static func read(_ name: String?) throws(ZoneError) -> ZoneRules {
    let bytes: [UInt8]
    do {
      bytes = try ZoneFile.read(name, root: Identity.environment("LULL_SYSTEM_ROOT") ?? "")
    } catch {
      if name == nil { return .utc() }
      throw ZoneError(why: .init(.noZone, text: name))
    }
    guard let rules = ZoneRules(name: name, file: bytes) else {
      throw ZoneError(why: .init(.zoneUnreadable, text: name ?? "/etc/localtime"))
    }
    return rules
  }
}

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

struct ZoneError: Error, CustomStringConvertible {
  let description: String
}

extension ZoneRules {
  /// A nil name stands for the machine's own zone, which is UTC where nothing is set.
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

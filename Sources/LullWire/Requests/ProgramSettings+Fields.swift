extension ProgramSettings: FieldGroup {
  package static var blank: Self { .init() }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    var seen = self
    seen.modes = try fields.set(.modes, modes)
    seen.keepAlive = try fields.optional(.keepAlive, .seconds(in: Bounds.durations), value: keepAlive)
    seen.fetch = try fields.optional(.fetch, .seconds(in: Bounds.fetches), value: fetch)
    seen.wakeOn = try fields.list(.wakeOn, .ports, value: wakeOn)
    seen.ignore = try fields.list(.ignore, .ports, value: ignore)
    seen.ignoredPeers = try fields.list(.ignorePeer, .peers, value: ignoredPeers)
    seen.probes = try fields.list(.answerProbe, .probes, value: probes)
    seen.tcpKeepAlive = try fields.optional(
      .tcpKeepalive, .seconds(in: Bounds.tcpKeepAlives), value: tcpKeepAlive)
    seen.udpKeepAlive = try fields.optional(
      .udpKeepalive, .seconds(in: Bounds.udpKeepAlives), value: udpKeepAlive)
    seen.udpKeepAliveTo = try fields.optional(.udpKeepaliveTo, .text, value: udpKeepAliveTo)
    seen.linger = try fields.optional(.linger, .seconds(in: Bounds.lingers), value: linger)
    let rule = timers == .automatic ? nil : timers
    seen.timers = try fields.optional(.timers, .timers, value: rule) ?? .automatic
    seen.silence = try fields.optional(.silence, .seconds(in: Bounds.silences), value: silence)
    seen.processorPercent = try fields.optional(.cpu, .number(in: 1...100), value: processorPercent)
    seen.memorySignal = try fields.optional(.memorySignal, .number(in: 1...64), value: memorySignal)
    return try seen.visitedInRegister(by: &fields)
  }

  /// The settings that a program on the library says of itself too, but for its modes.
  func visitedInRegister(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    var seen = self
    seen.exitsOnSuspend = try fields.flag(.exitsOnSuspend, exitsOnSuspend)
    seen.batchWakes = try fields.optional(.batchWakes, .seconds(in: Bounds.wakeBatches), value: batchWakes)
    seen.accessories = try fields.list(.accessory, .accessories, value: accessories)
    seen.schemes = try fields.list(.schemes, .schemes, value: schemes)
    seen.staysInMemory = try fields.flag(.noCompact, staysInMemory)
    seen.keepsLines = try fields.flag(.keepLines, keepsLines)
    seen.isPurgeable = try fields.flag(.purgeable, isPurgeable)
    return seen
  }
}

extension Key {
  /// The option of `lull run` that sets the field, such as `--keep-alive`.
  package var option: String {
    switch self {
    case .modes: return "--mode"
    case .schemes: return "--scheme"
    default:
      let words = rawValue.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }
      return "--" + words.joined()
    }
  }
}

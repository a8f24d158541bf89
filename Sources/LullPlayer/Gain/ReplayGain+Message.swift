package import LullWire

extension Message {
  package mutating func append(_ settings: ReplayGainSettings) {
    append(Field("replayGain", settings.mode.rawValue))
    append(Field("preamp", String(settings.preamp)))
  }
}

extension ReplayGainSettings {
  /// Reads these fields; a field that is missing or makes no sense is as at the first start.
  package init(_ message: Message) {
    self.init(
      mode: message["replayGain"].flatMap(ReplayGainMode.init(rawValue:)) ?? .off,
      preamp: message["preamp"].flatMap { Double($0) } ?? 0)
  }
}

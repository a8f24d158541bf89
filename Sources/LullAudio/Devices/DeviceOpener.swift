/// Opens sound devices by their names: `pulse:` and `pulse:SINK` are PulseAudio's (PipeWire answers there,
/// too), all others ALSA's. An ALSA device that only leads to PulseAudio is opened at PulseAudio, because the
/// library behind ALSA wakes up 25 times a second; if PulseAudio fails, ALSA opens the device.
package enum DeviceOpener {
  package static func play(_ name: String, _ request: SinkRequest) throws(SinkError) -> any Sink {
    if let address = pulse(name) { return try PulseSink(address, name: name, request) }
    if let address = AlsaConfiguration.pulse(name, capture: false),
      let sink = try? PulseSink(address, name: name, request)
    {
      return sink
    }
    return try AlsaDevice(name: name, .play, request)
  }

  package static func capture(_ name: String, _ request: SinkRequest) throws(SinkError) -> any AudioSource {
    if let address = pulse(name) { return try PulseSource(address, name: name, request) }
    if let address = AlsaConfiguration.pulse(name, capture: true),
      let source = try? PulseSource(address, name: name, request)
    {
      return source
    }
    return try AlsaDevice(name: name, .capture, request)
  }

  private static func pulse(_ name: String) -> PulseAddress? {
    guard name.hasPrefix(PulseAddress.prefix) else { return nil }
    let device = name.dropFirst(PulseAddress.prefix.count)
    return PulseAddress(device: device.isEmpty ? nil : String(device))
  }
}

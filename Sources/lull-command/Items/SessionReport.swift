import LullWire

struct SessionReport: Encodable, Equatable {
  let id: UInt64
  let category: String
  let direction: String
  let rate: Int64
  let channels: Int64
  let format: String
  let state: String
  /// The order of the audio focus: `play`, `duck` or `hold`.
  let order: String
  let mixes: Bool
  /// True when the session was audible in the last two seconds.
  let isAudible: Bool
  /// The loudness of the last tenth of a second in dB; nil for silence.
  @OrNull var level: Double?
  @OrNull var queuedSeconds: Double?
  let starved: Int64
  @OrNull var device: String?
  /// The device that was asked for, where it is another one.
  @OrNull var wantedDevice: String?

  enum CodingKeys: String, CodingKey {
    case id, category, direction, rate, channels, format, state, order, level, queuedSeconds, starved, device,
      wantedDevice
    case mixes = "mix"
    case isAudible = "audible"
  }

  init(_ item: Message) throws(WireError) {
    id = try item.unsigned(.session)
    category = try item.string(.category)
    direction = try item.string(.direction)
    rate = try item.integer(.rate)
    channels = try item.integer(.channels)
    format = try item.string(.format)
    state = try item.string(.state)
    order = try item.string(.order)
    mixes = try item.flag(.mix)
    isAudible = try item.flag(.audible)
    level = try item.number(ifPresent: .level)
    queuedSeconds = try item.number(ifPresent: .queuedSeconds)
    starved = try item.integer(ifPresent: .starved) ?? 0
    device = item[.device]
    wantedDevice = item[.output]
  }
}

struct DeviceReport: Encodable, Equatable {
  let state: String
  @OrNull var name: String?

  init(_ item: Message) throws(WireError) {
    state = try item.string(.state)
    name = item[.device]
  }
}

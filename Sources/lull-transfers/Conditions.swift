import LullBus
import LullInspect
import LullSystem

/// Power and network, watched while a discretionary transfer waits or goes on.
final class Conditions {
  private static let service = "org.freedesktop.NetworkManager", root = "/org/freedesktop/NetworkManager"
  private static let properties = "org.freedesktop.DBus.Properties"

  private var devices = WatchedDevices(root: Identity.environment("LULL_SYSTEM_ROOT") ?? "")
  private var powerNews: Int32?
  private var buffer = ReceiveBuffer(capacity: 1 << 16)
  private var bus: Bus?
  /// NetworkManager's property `Metered`: 1 and 3 are yes and a guess of yes. 0 also where there is none.
  private var metered: UInt32 = 0
  private var isAsking = false

  init() {
    powerNews = try? devices.open()
    do throws(BusError) {
      let bus = try Bus(.system)
      self.bus = bus
      let own = "path='\(Self.root)',interface='\(Self.properties)',arg0='\(Self.service)'"
      try bus.match("type='signal',\(own)") { [weak self] message in
        guard message.readString() != nil else { return }
        for case ("Metered", .uint32(let now)?) in message.readDictionary() ?? [] { self?.metered = now }
      }
      try bus.call(
        BusCall(
          to: Self.service, path: Self.root, interface: Self.properties, member: "Get",
          values: [.string(Self.service), .string("Metered")]), timeout: 5
      ) { [weak self] reply in
        self?.isAsking = false
        if case .values(let message) = reply, case .uint32(let now)? = message.readVariant() {
          self?.metered = now
        }
      }
      isAsking = true
    } catch {
      // A machine without the bus has no NetworkManager.
      bus = nil
    }
  }

  /// What a discretionary transfer waits for; nil: it may go on.
  var obstacle: String? {
    if devices.supplies.power.source == .battery { return "waits for mains power" }
    if isAsking { return "waits for NetworkManager" }
    return metered == 1 || metered == 3 ? "waits for an unmetered network" : nil
  }

  /// The moment at which the bus has to be looked at; nil: when it says something.
  var deadline: Int64? { bus?.deadline }

  var entries: [PollEntry] {
    (powerNews.map { [PollEntry($0, .readable)] } ?? [])
      + (bus.map { [PollEntry($0.descriptor, $0.interest)] } ?? [])
  }

  func take() {
    _ = try? devices.receive(&buffer)
    if bus?.process() == false { (bus, metered, isAsking) = (nil, 0, false) }
  }
}

import Lull
import LullBus
import LullSystem

/// What GeoClue tells of a place, and how often: its own filters.
struct LocationFilter: Equatable {
  var accuracy = LocationAccuracy.exact
  /// Metres from the last place that was told.
  var distance: UInt32 = 0
  /// Seconds since that place.
  var time: UInt32 = 0

  /// As the service of iOS for significant changes: 500 m, 5 min, and no GPS receiver.
  static let significant = LocationFilter(accuracy: .neighborhood, distance: 500, time: 300)
}

/// A client of GeoClue (org.freedesktop.GeoClue2.Client) on a connection of its own, with which it ends. The
/// connection is a line: nothing comes there but what GeoClue says to this client.
final class GeoClue {
  enum News {
    case places([Location])
    case allowed(Bool)
    /// GeoClue or the bus is gone, or it refused something for another reason than the user's word.
    case lost(BusError)
    /// Everything that came has been told.
    case handled
  }

  private static let service = "org.freedesktop.GeoClue2"
  private static let manager = "\(service).Manager", client = "\(service).Client"
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let denied = "org.freedesktop.DBus.Error.AccessDenied"
  /// The user may be asked first. A time-out would also run out in a sleep, in front of an answer that waits.
  private static let endless = 1_000_000_000

  private let bus: Bus
  private let desktopID: String
  private let told: (News) -> Void
  /// Nil: nothing is told any more.
  private var line: Line?
  private var path: String?
  private var filter: LocationFilter
  private var found: [Location] = []
  private var unread = 0

  init(
    _ application: Application, on kind: Bus.Kind, desktopID: String, filter: LocationFilter,
    told: @escaping (News) -> Void
  ) throws(BusError) {
    (self.desktopID, self.filter, self.told) = (desktopID, filter, told)
    bus = try Bus(kind)
    try bus.match(
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
        + "member='NameOwnerChanged',arg0='\(Self.service)',arg2=''"
    ) { [weak self] _ in self?.tell(.lost(BusError("GeoClue has ended"))) }
    // GeoClue sends it to this client alone.
    try bus.match(
      "type='signal',sender='\(Self.service)',interface='\(Self.client)',member='LocationUpdated'"
    ) { [weak self] message in
      guard let self, message.readString("o") != nil, let place = message.readString("o") else { return }
      read(place)
    }
    call("GetClient", of: Self.manager, at: "/org/freedesktop/GeoClue2/Manager") { [weak self] message in
      guard let self, let path = message.readString("o") else { return }
      begin(path)
    }
    do throws(LullError) {
      // Not kept for the next life of the program: GeoClue would go on for nobody meanwhile.
      line = try application.hold(bus.descriptor, as: .location, isEncrypted: true) { [weak self] in
        self?.process()
      }
    } catch {
      throw BusError("\(error)")
    }
    // Waits until the bus lets the process in.
    guard bus.flush() else { throw BusError("the system bus has ended the connection") }
  }

  func end() {
    line?.release()
    line = nil
  }

  /// Takes everything that has come: after the start, too, when the bus has said something by then.
  func process() {
    guard bus.process(), bus.flush() else {
      return tell(.lost(BusError("the system bus has ended the connection")))
    }
    if unread == 0 { tell(.handled) }
  }

  private func tell(_ news: News) { if line != nil { told(news) } }

  /// Takes another filter of the same accuracy.
  func change(to filter: LocationFilter) {
    self.filter = filter
    guard let path else { return }
    setFilter(path)
    _ = bus.flush()
  }

  private func begin(_ path: String) {
    self.path = path
    try? bus.match(
      "type='signal',sender='\(Self.service)',path='\(path)',interface='\(Self.properties)',"
        + "member='PropertiesChanged',arg0='\(Self.client)'"
    ) { [weak self] message in
      guard message.readString() != nil, let changes = message.readDictionary() else { return }
      for case ("Active", .bool(let isActive)?) in changes { self?.tell(.allowed(isActive)) }
    }
    set("DesktopId", .string(desktopID), at: path)
    set("RequestedAccuracyLevel", .uint32(filter.accuracy.rawValue), at: path)
    setFilter(path)
    call("Start", of: Self.client, at: path) { [weak self] _ in self?.tell(.allowed(true)) }
  }

  private func setFilter(_ path: String) {
    set("DistanceThreshold", .uint32(filter.distance), at: path)
    set("TimeThreshold", .uint32(filter.time), at: path)
  }

  private func set(_ name: String, _ value: BusValue, at path: String) {
    let values = [BusValue.string(Self.client), .string(name), .variant(value)]
    call("Set", of: Self.properties, at: path, with: values)
  }

  /// GeoClue keeps a place that it has told for some seconds. Of a batch that is older the newest is left.
  private func read(_ place: String) {
    unread += 1
    let call = BusCall(
      to: Self.service, path: place, interface: Self.properties, member: "GetAll",
      values: [.string("\(Self.service).Location")])
    try? bus.call(call, timeout: Self.endless) { [weak self] reply in
      guard let self else { return }
      if case .values(let message) = reply, let values = message.readDictionary(),
        let location = Location(values)
      {
        found.append(location)
      }
      unread -= 1
      guard unread == 0, !found.isEmpty else { return }
      defer { found = [] }
      tell(.places(found))
    }
  }

  private func call(
    _ member: String, of interface: String, at path: String, with values: [BusValue] = [],
    then: @escaping (BusMessage) -> Void = { _ in }
  ) {
    let call = BusCall(
      to: Self.service, path: path, interface: interface, member: member, values: values)
    do throws(BusError) {
      try bus.call(call, timeout: Self.endless) { [weak self] reply in
        switch reply {
        case .values(let message): then(message)
        case .refused(let refusal) where refusal.name == Self.denied: self?.tell(.allowed(false))
        case .refused(let refusal): self?.tell(.lost(BusError("GeoClue: \(refusal.message)")))
        }
      }
    } catch {
      tell(.lost(error))
    }
  }
}

extension Location {
  /// The properties of org.freedesktop.GeoClue2.Location. What is not known is negative there, and the
  /// altitude the least number.
  init?(_ properties: [(key: String, value: BusValue?)]) {
    var numbers: [String: Double] = [:]
    for case (let key, .double(let number)?) in properties { numbers[key] = number }
    guard let latitude = numbers["Latitude"], let longitude = numbers["Longitude"] else { return nil }
    self.init(
      latitude: latitude, longitude: longitude, accuracy: numbers["Accuracy"] ?? 0,
      unixTime: Double(Clock.realtime()) / 1e9)
    altitude = numbers["Altitude"].flatMap { $0 == -Double.greatestFiniteMagnitude ? nil : $0 }
    speed = numbers["Speed"].flatMap { $0 < 0 ? nil : $0 }
    heading = numbers["Heading"].flatMap { $0 < 0 ? nil : $0 }
    for case (let key, let value?) in properties {
      switch (key, value) {
      case ("Timestamp", .numbers(let seconds, let microseconds)) where seconds > 0:
        unixTime = Double(seconds) + Double(microseconds) / 1e6
      case ("Description", .string(let text)): description = text
      default: break
      }
    }
  }
}

import Lull
import LullBus
import LullSystem
import TestSupport
import Testing

@testable import LullLocation

/// A program with a manager, and GeoClue as python-dbusmock plays it. The program supervises itself: its
/// handlers sleep.
final class LocationStage: ApplicationDelegate {
  let bus: MockedSystemBus
  private(set) var application: Application?
  private(set) var events: [String] = []
  private(set) var wakes: [WakeReason] = []
  private(set) var manager: LocationManager?

  /// `begin` starts the manager.
  init(denied: Bool = false, modes: Modes = .location) throws {
    bus = try MockedSystemBus("geoclue", parameters: "{\"denied\": \(denied)}")
    let application = try Application(
      name: "walker", modes: modes, launch: .background, host: .embedded, delegate: self)
    self.application = application
    let manager = LocationManager(application) { [unowned self] in events.append(Self.text($0)) }
    manager.kindOfBus = .address(bus.address)
    manager.onHandled = { application.finishedHandlingWake() }
    self.manager = manager
  }

  /// Starts the manager; returns when GeoClue has this client.
  func start(_ client: String = "walker 8 100 0", _ begin: (LocationManager) throws -> Void) throws {
    try begin(#require(manager))
    try wait(for: client)
    try until("not allowed") { events.last == "allowed true" }
  }

  func wait(for client: String) throws {
    try until("not the client \(client)") { try bus.geoClueClients() == client }
  }

  func applicationDidEnterBackground(_ application: Application) { application.finishedHandlingWake() }
  func applicationDidWake(_ application: Application, reason: WakeReason) { wakes.append(reason) }

  /// Lets the loop run until something holds.
  func until(_ what: Comment, _ holds: () throws -> Bool) throws {
    let application = try #require(application)
    try eventually(what) {
      if try !readyNow(application.fileDescriptor, .readable).isEmpty { application.dispatch() }
      return try holds()
    }
  }

  func fallAsleep() throws { try until("it does not sleep") { application?.applicationState == .suspended } }

  func wait(forEvent event: String) throws { try until("not \(event)") { events.last == event } }

  /// The places that were told, as `N/E`.
  var places: [String] { events.filter { $0.hasPrefix("at ") } }

  private static func text(_ event: LocationManager.Event) -> String {
    switch event {
    case .updated(let places): "at " + places.map { "\($0.latitude)/\($0.longitude)" }.joined(separator: " ")
    case .doubted(_, let why): why
    case .allowed(let isAllowed): "allowed \(isAllowed)"
    case .failed(let error): "failed: \(error)"
    }
  }
}

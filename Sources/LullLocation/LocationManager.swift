public import Lull
public import LullBus
import LullSystem

/// The place of the machine for a program on Lull (`CLLocationManager`): a client of GeoClue.
///
/// Its connection to GeoClue is held as a line, so that a place that passes the filter wakes the sleeping
/// program, which has 10 s for it; the application needs the mode `location`. The filters are GeoClue's own:
/// what does not pass wakes nobody. Everything happens in the application's loop. The program calls
/// `finishedHandlingWake()` in ``onHandled``.
///
///     let manager = LocationManager(application) { event in
///       if case .updated(let places) = event { track += places }
///     }
///     manager.onHandled = { application.finishedHandlingWake() }
///     manager.distanceFilter = 100
///     try manager.startUpdatingLocation()
public final class LocationManager {
  /// An event of the manager.
  public enum Event {
    /// The places that GeoClue told and still had, the newest last.
    case updated([Location])
    /// The newest place of the event before is doubtful: why, in one text line. It comes once, and again
    /// after a place without that doubt.
    case doubted(Location.Doubt, String)
    /// The user, or the configuration of GeoClue, lets the program know the place, or does not any more.
    case allowed(Bool)
    /// The manager has stopped: there is no GeoClue, or it ended before it told a place.
    case failed(BusError)
  }

  /// The accuracy that is asked for. Another one begins anew at GeoClue.
  public var desiredAccuracy = LocationAccuracy.exact { didSet { filterChanged() } }
  /// The least distance in metres between two places that are told; 0: all are.
  public var distanceFilter = 0.0 { didSet { filterChanged() } }
  /// The least time in seconds between two places that are told (deferred updates): both filters have to be
  /// passed. GeoClue keeps no places meanwhile, so the newest alone is told.
  public var deferral = 0.0 { didSet { filterChanged() } }
  /// GeoClue's word on whether the program may know the place; nil: not asked yet.
  public private(set) var isAllowed: Bool?
  /// The place that was told last.
  public private(set) var location: Location?
  /// Called when everything that came has been told.
  public var onHandled: () -> Void = {}

  /// Where GeoClue is.
  var kindOfBus = Bus.Kind.system
  private let application: Application
  private let desktopID: String
  private let handler: (Event) -> Void
  private var geoClue: GeoClue?
  private var isSignificant = false
  /// GeoClue has told a place since the last beginning.
  private var hasBeenTold = false
  private var filter = LocationFilter()
  private var doubt: Location.Doubt?

  /// A manager that has not started.
  ///
  /// `desktopID` is the program's name in GeoClue's configuration and in the question to the user: that of
  /// its `.desktop` file without the ending; nil: the application's name.
  public init(_ application: Application, desktopID: String? = nil, handler: @escaping (Event) -> Void) {
    (self.application, self.handler) = (application, handler)
    self.desktopID = desktopID ?? application.name
  }

  deinit { geoClue?.end() }

  /// Begins to tell places that pass the filters.
  ///
  /// - Throws: when there is no system bus, or the application has not the mode `location`.
  public func startUpdatingLocation() throws(BusError) { try start(significant: false) }

  /// Begins to tell significant changes: a place in another part of the town, at least 500 m and 5 minutes
  /// away from the last one. The filters and the accuracy of the manager do not count, and a GPS receiver
  /// stays off.
  ///
  /// - Throws: as ``startUpdatingLocation()``.
  public func startMonitoringSignificantLocationChanges() throws(BusError) { try start(significant: true) }

  /// Ends both.
  public func stop() {
    geoClue?.end()
    geoClue = nil
  }

  private func start(significant: Bool) throws(BusError) {
    isSignificant = significant
    try begin()
  }

  /// The client before ends with its connection.
  private func begin() throws(BusError) {
    stop()
    (filter, hasBeenTold) = (wantedFilter, false)
    geoClue = try GeoClue(application, on: kindOfBus, desktopID: desktopID, filter: filter) {
      [weak self] news in self?.tell(news)
    }
    geoClue?.process()
  }

  private func beginAnew() {
    do throws(BusError) { try begin() } catch { fail(error) }
  }

  private func fail(_ error: BusError) {
    stop()
    handler(.failed(error))
    onHandled()
  }

  private var wantedFilter: LocationFilter {
    guard !isSignificant else { return .significant }
    return LocationFilter(
      accuracy: desiredAccuracy, distance: UInt32(saturating: distanceFilter.rounded(.up)),
      time: UInt32(saturating: deferral.rounded(.up)))
  }

  private func filterChanged() {
    guard let geoClue, wantedFilter != filter else { return }
    // GeoClue reads the accuracy at the start alone.
    guard wantedFilter.accuracy == filter.accuracy else { return beginAnew() }
    filter = wantedFilter
    geoClue.change(to: filter)
  }

  private func tell(_ news: GeoClue.News) {
    switch news {
    case .places(let places): tell(places)
    case .allowed(let isAllowed):
      guard isAllowed != self.isAllowed else { return }
      self.isAllowed = isAllowed
      handler(.allowed(isAllowed))
    // A GeoClue that was replaced goes on; one that ends whenever it is asked would be asked for ever.
    case .lost where hasBeenTold: beginAnew()
    case .lost(let error): fail(error)
    case .handled: onHandled()
    }
  }

  private func tell(_ places: [Location]) {
    guard let newest = places.last else { return }
    (location, hasBeenTold) = (newest, true)
    handler(.updated(places))
    let now = Double(Clock.realtime()) / 1e9
    let known = doubt
    doubt = newest.doubt(at: now)
    guard let doubt, doubt != known else { return }
    handler(.doubted(doubt, doubt.text(newest, now)))
    // GeoClue passes over what is older than the last place.
    if doubt == .inFuture, geoClue != nil { beginAnew() }
  }
}

extension Location.Doubt {
  func text(_ location: Location, _ now: Double) -> String {
    switch self {
    case .atZero: "GeoClue told the place 0/0: its receiver may not know where it is"
    case .inFuture:
      "GeoClue told a place \(Int64(saturating: location.unixTime - now)) s in the future: "
        + "the clock of its receiver, or of this machine, is wrong"
    }
  }
}

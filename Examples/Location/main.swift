// Follows the machine, and sleeps until it is 100 m from the place that was told last.
import Lull
import LullLocation

final class Walker: ApplicationDelegate {
  /// The last 100 places: the pins of a map.
  private var track: [Location] = []

  func walk(to places: [Location], _ application: Application) {
    track = (track + places).suffix(100)
    if application.applicationState == .active { return showMap() }
    for place in places { print(place.latitude, place.longitude) }
  }

  /// Places that came in the background are on the map when it is seen again.
  func applicationDidBecomeActive(_ application: Application) { showMap() }

  private func showMap() {
    let (latitudes, longitudes) = (track.map(\.latitude), track.map(\.longitude))
    guard let south = latitudes.min(), let north = latitudes.max(), let west = longitudes.min(),
      let east = longitudes.max()
    else { return }
    print("a map from \(south) \(west) to \(north) \(east) with \(track.count) pins")
  }

  func applicationDidEnterBackground(_ application: Application) { application.finishedHandlingWake() }
}

let walker = Walker()
let application = try Application(name: "walker", modes: [.location], launch: .background, delegate: walker)
let manager = LocationManager(application) { event in
  switch event {
  case .updated(let places): walker.walk(to: places, application)
  case .doubted(_, let why): print(why)
  case .allowed(let isAllowed): print(isAllowed ? "GeoClue tells the place" : "GeoClue may not tell it")
  case .failed(let error):
    print(error)
    application.stop()
  }
}
manager.onHandled = { application.finishedHandlingWake() }
manager.distanceFilter = 100
try manager.startUpdatingLocation()
application.run()

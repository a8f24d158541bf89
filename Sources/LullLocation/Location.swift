/// A place as GeoClue tells it (`CLLocation`).
public struct Location: Equatable, Sendable {
  /// Degrees north, and degrees east; negative: south, and west.
  public var latitude, longitude: Double
  /// The radius in metres in which the machine is.
  public var accuracy: Double
  /// Metres above the sea, where it is known.
  public var altitude: Double?
  /// Metres in a second, where it is known.
  public var speed: Double?
  /// Degrees from north, clockwise, where it is known.
  public var heading: Double?
  /// The moment in seconds since 1970, by the clock of the receiver or of the service that told it.
  public var unixTime: Double
  /// What GeoClue says of the place or of its source; mostly nothing.
  public var description = ""

  /// A place with what is always known.
  public init(latitude: Double, longitude: Double, accuracy: Double, unixTime: Double) {
    (self.latitude, self.longitude) = (latitude, longitude)
    (self.accuracy, self.unixTime) = (accuracy, unixTime)
  }

  /// The sign of a receiver that does not know its place or its time.
  public enum Doubt: Equatable, Sendable {
    /// The place is 0 degrees north, 0 degrees east, where no land is.
    case atZero
    /// The moment is to come.
    case inFuture
  }

  /// The difference in seconds that the clocks of a receiver and of the machine may have.
  static let clockDifference = 60.0

  /// The doubt about the place, by the clock of the machine.
  func doubt(at now: Double) -> Doubt? {
    if latitude == 0, longitude == 0 { return .atZero }
    return unixTime > now + Self.clockDifference ? .inFuture : nil
  }
}

/// The accuracy that a program asks for (`desiredAccuracy`). Raw values are GeoClue's. A source that is more
/// accurate than that, such as a GPS receiver, stays off.
public enum LocationAccuracy: UInt32, Sendable {
  case country = 1
  case city = 4
  case neighborhood = 5
  case street = 6
  /// As a GPS receiver.
  case exact = 8
}

package enum SpeakerPosition: Sendable {
  case mono
  case frontLeft
  case frontRight
  case rearLeft
  case rearRight
  case frontCentre
  case lowFrequency
  case sideLeft
  case sideRight
  case rearCentre

  var isLeft: Bool { self == .frontLeft || self == .rearLeft || self == .sideLeft }
  var isRight: Bool { self == .frontRight || self == .rearRight || self == .sideRight }
  var isCentre: Bool { self == .frontCentre || self == .rearCentre }

  /// Whether a centre without a speaker of its own is heard on this one: on both of the front, or of the rear
  /// where there are some.
  func isHeard(on speaker: SpeakerPosition, of all: [SpeakerPosition]) -> Bool {
    self == .rearCentre && all.contains(.rearLeft)
      ? speaker == .rearLeft || speaker == .rearRight : speaker == .frontLeft || speaker == .frontRight
  }
}

extension [SpeakerPosition] {
  /// The channels of a session: the order of WAV files, in which programs have their frames.
  package static func session(_ channels: Int) -> Self {
    switch channels {
    case 5: [.frontLeft, .frontRight, .frontCentre, .rearLeft, .rearRight]
    case 6: [.frontLeft, .frontRight, .frontCentre, .lowFrequency, .rearLeft, .rearRight]
    case 7: [.frontLeft, .frontRight, .frontCentre, .lowFrequency, .rearCentre, .sideLeft, .sideRight]
    case 8...:
      [.frontLeft, .frontRight, .frontCentre, .lowFrequency, .rearLeft, .rearRight, .sideLeft, .sideRight]
    default: .device(channels)
    }
  }

  /// The channels of a device: the order of ALSA (`snd_pcm_std_chmaps` in the kernel).
  package static func device(_ channels: Int) -> Self {
    switch channels {
    case ...1: [.mono]
    case 2: [.frontLeft, .frontRight]
    case 3: [.frontLeft, .frontRight, .frontCentre]
    case 4: [.frontLeft, .frontRight, .rearLeft, .rearRight]
    case 5: [.frontLeft, .frontRight, .rearLeft, .rearRight, .frontCentre]
    case 6: [.frontLeft, .frontRight, .rearLeft, .rearRight, .frontCentre, .lowFrequency]
    case 7: [.frontLeft, .frontRight, .rearLeft, .rearRight, .frontCentre, .lowFrequency, .rearCentre]
    default:
      [.frontLeft, .frontRight, .rearLeft, .rearRight, .frontCentre, .lowFrequency, .sideLeft, .sideRight]
    }
  }

  /// The same channels, with the one pair behind the front named as the other end names its only pair.
  func naming(pairOf other: Self) -> Self {
    if contains(.rearLeft) == contains(.sideLeft) || other.contains(.rearLeft) == other.contains(.sideLeft) {
      return self
    }
    guard contains(.rearLeft) != other.contains(.rearLeft) else { return self }
    return map { position in
      switch position {
      case .rearLeft: .sideLeft
      case .rearRight: .sideRight
      case .sideLeft: .rearLeft
      case .sideRight: .rearRight
      default: position
      }
    }
  }
}

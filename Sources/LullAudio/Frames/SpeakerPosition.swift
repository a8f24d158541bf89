/// The speaker that a channel belongs to.
enum SpeakerPosition {
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

  /// The order of ALSA (`snd_pcm_std_chmaps` in the kernel) for so many channels.
  static func layout(_ channels: Int) -> [SpeakerPosition] {
    switch channels {
    case 1: [.mono]
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

  /// The positions of this channel on a device with `outputs`, each with its coefficient.
  func folded(into outputs: [SpeakerPosition]) -> [(SpeakerPosition, Float)] {
    if outputs.contains(self) { return [(self, 1)] }
    let half: Float = 0.5
    let third = half.squareRoot()
    if outputs == [.mono] {
      switch self {
      case .frontLeft, .frontRight: return [(.mono, third)]
      case .frontCentre: return [(.mono, 1)]
      case .lowFrequency: return []
      default: return [(.mono, half)]
      }
    }
    let surround: (left: SpeakerPosition, right: SpeakerPosition) =
      outputs.contains(.rearLeft) ? (.rearLeft, .rearRight) : (.frontLeft, .frontRight)
    let level: Float = outputs.contains(.rearLeft) ? 1 : third
    switch self {
    case .mono: return [(.frontLeft, 1), (.frontRight, 1)]
    case .frontCentre: return [(.frontLeft, third), (.frontRight, third)]
    case .rearLeft, .sideLeft: return [(surround.left, level)]
    case .rearRight, .sideRight: return [(surround.right, level)]
    case .rearCentre: return [(surround.left, level * third), (surround.right, level * third)]
    case .frontLeft, .frontRight, .lowFrequency: return []
    }
  }
}

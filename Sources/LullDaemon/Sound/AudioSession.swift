import LullChannel
import LullEngine
import LullSystem
import LullWire

/// An audio session: its program's settings, and what lull-audio needs to play it.
struct AudioSession {
  /// As lull-audio told last.
  enum Play {
    case stopped, begun
    /// Playing had begun, and the lull-audio that told so is gone: the next one is to tell.
    case unknown
  }

  let id: SessionID
  let app: AppID
  let name: String
  /// The session ends with the connection that opened it.
  let client: Slot
  private(set) var fields: Request.Session
  let silence: Interval?
  var order: AudioOrder
  /// A lull-audio that replaces a dead one goes on with the ring.
  let ring: DescriptorBox
  let doorbell: DescriptorBox
  /// The inode of the doorbell's end that the program keeps; this end is no line of the program.
  let inode: UInt64?
  /// As lull-audio told; nil for the device on which the session is to be.
  var place: String?
  /// Not told to the program yet.
  var unheardRoute: RouteNotice?
  var play = Play.stopped

  var opening: MessageToAudio {
    .open(
      AudioOpening(
        session: id, program: app.audioNumber, name: name, fields: fields, order: order, silence: silence))
  }

  /// Nil stands for the usual device.
  mutating func setDevice(_ device: String?) { fields.device = device }

  var device: String { place ?? fields.device ?? DeviceName.usualHere }

  /// Nil for a session that is on the device on which it is to be.
  var missingDevice: String? {
    let wanted = fields.device ?? DeviceName.usualHere
    return place.map { $0 == wanted } ?? true ? nil : wanted
  }
}

extension DeviceName {
  static var usualHere: String { AudioLink.chosenDevice ?? usual }
}

extension AppID {
  /// As lulld and lull-audio call the program.
  var audioNumber: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

  init(audioNumber: UInt64) {
    self.init(slot: UInt32(truncatingIfNeeded: audioNumber), generation: UInt32(audioNumber >> 32))
  }
}

extension SessionTraits {
  init(_ fields: Request.Session) {
    self.init(category: fields.category, direction: fields.direction)
    mixesWithOthers = fields.mix
    ducksOthers = fields.duck
    isSpoken = fields.spoken
    isDeep = fields.lowWater != nil
  }
}

import LullChannel
import LullEngine
import LullSystem
import LullWire

/// An audio session as the shell knows it: its program's settings, and the data that lull-audio needs to play
/// it.
struct AudioSession {
  /// The state that lull-audio told last.
  enum Play {
    case stopped, begun
    /// Playing had begun, and the lull-audio that told so is gone: the next one is to tell.
    case unknown
  }

  let id: SessionID
  let app: AppID
  let name: String
  /// The connection that opened the session and with which it ends.
  let client: Slot
  private(set) var fields: Request.Session
  let silence: Interval?
  /// The ring, kept so that a lull-audio that replaces a dead one can go on with it.
  let ring: DescriptorBox
  let doorbell: DescriptorBox
  /// The inode of the doorbell's end that the program keeps; this end is no line of the program.
  let inode: UInt64?
  var order: AudioOrder
  /// The device on which the session is, as lull-audio told; nil: the one on which it is to be.
  var place: String?
  /// A change of the device that the program has not been told.
  var unheardRoute: RouteNotice?
  var play = Play.stopped

  init(
    id: SessionID, app: AppID, name: String, client: Slot, fields: Request.Session, silence: Interval?,
    order: AudioOrder, ring: DescriptorBox, doorbell: DescriptorBox, inode: UInt64?
  ) {
    (self.id, self.app, self.name, self.client) = (id, app, name, client)
    (self.fields, self.silence) = (fields, silence)
    (self.order, self.ring, self.doorbell, self.inode) = (order, ring, doorbell, inode)
  }

  var opening: MessageToAudio {
    .open(
      AudioOpening(
        session: id, program: app.audioNumber, name: name, fields: fields, order: order, silence: silence))
  }

  /// Nil stands for the usual device.
  mutating func setDevice(_ device: String?) { fields.device = device }

  var device: String { place ?? fields.device ?? DeviceName.usualHere }

  /// The device on which the session is to be, while it is on another one.
  var missingDevice: String? {
    let wanted = fields.device ?? DeviceName.usualHere
    return place.map { $0 == wanted } ?? true ? nil : wanted
  }
}

extension DeviceName {
  static var usualHere: String { AudioLink.chosenDevice ?? usual }
}

extension AppID {
  /// The number of the program between lulld and lull-audio.
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

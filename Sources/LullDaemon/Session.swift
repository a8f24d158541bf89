import LullEngine
import LullSystem
import LullWire

/// A session of sound as the shell knows it: what its program said, and what lull-audio needs to play it.
final class Session {
  let id: SessionID
  private(set) var fields: Request.Session
  /// Kept, so that a lull-audio that takes the place of one that died can go on with the same ring.
  let ring: DescriptorBox
  let bell: DescriptorBox
  /// The end of the bell that the program keeps, which is no line of it.
  let inode: UInt64?
  weak var program: Program?
  /// Its connection: the session ends with it.
  weak var client: Client?
  var order = LullEngine.SoundOrder.play
  /// The device that it is on, as lull-audio told; nil: the one that it is to be on.
  var place: String?
  /// A change of it that its program has not been told.
  var unheardRoute: Message?
  /// As lull-audio told last.
  var hasBegun = false
  /// A lull-audio that took the place of one that died is to tell whether it still plays.
  var awaitsNews = false
  /// Since when its program has left the bell unread.
  var unreadSince: Moment?

  init(
    id: SessionID, fields: Request.Session, ring: DescriptorBox, bell: DescriptorBox, inode: UInt64?,
    program: Program, client: Client
  ) {
    (self.id, self.fields, self.ring, self.bell, self.inode) = (id, fields, ring, bell, inode)
    (self.program, self.client) = (program, client)
  }

  /// What lull-audio is told of it; `silence` is the hangover that the program's owner wants.
  func opening(_ app: AppID, silence: Interval?) -> Message {
    let message = Message(SoundVerb.open).adding(.session, id.number).adding(.program, app.soundNumber)
    return fields.adding(to: message).adding(.order, order.rawValue)
      .adding(.silence, nanoseconds: silence?.nanoseconds)
  }

  /// Another device that it is to be on; nil: the usual one.
  func setDevice(_ device: String?) { fields.device = device }

  func message(_ verb: SoundVerb) -> Message { Message(verb).adding(.session, id.number) }
}

extension AppID {
  /// What the program is called between lulld and lull-audio.
  var soundNumber: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

  init(soundNumber: UInt64) {
    self.init(slot: UInt32(truncatingIfNeeded: soundNumber), generation: UInt32(soundNumber >> 32))
  }
}

extension SoundSession {
  init(_ fields: Request.Session) {
    let category: AudioCategory =
      switch fields.category {
      case .ambient: .ambient
      case .soloAmbient: .soloAmbient
      case .playback: .playback
      case .record: .record
      case .playAndRecord: .playAndRecord
      }
    self.init(category: category, direction: fields.direction == .play ? .play : .capture)
    mixesWithOthers = fields.mix
    ducksOthers = fields.duck
    isSpoken = fields.spoken
    isDeep = fields.lowWater != nil
  }
}

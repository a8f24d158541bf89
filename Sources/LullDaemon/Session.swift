import LullEngine
import LullSystem
import LullWire

/// A session of sound as the shell knows it: what its program said, and what lull-audio needs to play it.
final class Session {
  let id: SessionID
  let fields: Request.Session
  /// Kept, so that a lull-audio that takes the place of one that died can go on with the same ring.
  let ring: DescriptorBox
  let bell: DescriptorBox
  /// The end of the bell that the program keeps, which is no line of it.
  let inode: UInt64?
  weak var program: Program?
  /// Its connection: the session ends with it.
  weak var client: Client?
  var order = LullEngine.SoundOrder.play
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

  /// What lull-audio is told of it.
  var opening: Message {
    fields.adding(to: Message(SoundVerb.open).adding(.session, id.number)).adding(.order, order.rawValue)
  }

  func message(_ verb: SoundVerb) -> Message { Message(verb).adding(.session, id.number) }
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

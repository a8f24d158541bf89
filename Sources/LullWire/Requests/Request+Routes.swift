extension Request {
  /// The fields of `sound-route`.
  package struct AudioRoute: Equatable, Sendable {
    package var name: String
    /// The device that its sound is to go to or come from; nil: the usual one.
    package var device: String?
    /// The only session meant; nil: all of one direction, and those to come.
    package var session: SessionID?
    /// The direction of the sessions meant, where `session` is nil.
    package var direction: AudioDirection

    package init(name: String, device: String?, session: SessionID? = nil, direction: AudioDirection = .play)
    {
      (self.name, self.device, self.session, self.direction) = (name, device, session, direction)
    }
  }
}

extension Request.AudioRoute: FieldGroup {
  package static var blank: Self { .init(name: "", device: nil) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    let name = try fields.needed(.name, .programName, value: name)
    let device = try fields.needed(.device, .deviceName, value: device ?? DeviceName.usual)
    let session = try fields.optional(.session, .identifier, value: session)
    // The direction of a single session is known, and `play` need not be said.
    let isSaid = session == nil && direction != .play
    let said = try fields.optional(.direction, .word, value: isSaid ? direction : nil)
    if session != nil, let said {
      throw .badValue(
        key: Key.direction.rawValue, value: said.rawValue,
        expected: "\(Key.session) or \(Key.direction), not both")
    }
    return .init(name: name, device: DeviceName.wanted(device), session: session, direction: said ?? .play)
  }
}

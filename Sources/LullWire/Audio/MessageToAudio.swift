/// A message of `lulld` to `lull-audio`, in the grammar of docs/PROTOCOL.md. No message is answered.
///
/// `lulld` starts `lull-audio` with the first session, with one end of a socket pair as descriptor 3. Nobody
/// else speaks this, and both programs are of one build, except for a `lull-audio` that plays on in an
/// upgrade (`linger`).
package enum MessageToAudio {
  package enum Verb: String, CaseIterable, Sendable {
    case statusPage = "status-page"
    case ring, doorbell, open, order, route, close, listen, leave, linger
  }

  /// Comes with the descriptor of the page on which the states are shown from now on. It is the first message
  /// of each `lulld`.
  case statusPage
  /// Comes with the descriptor of the ring of the session that is opened next.
  case ring
  /// Comes with the descriptor of the doorbell of the session that is opened next.
  case doorbell
  /// A ring is known by its inode. Where it is that of a session of the `lulld` before, the session goes on
  /// under the new number without a missing frame, and `began`, `sounding`, `low` and `route` are told again
  /// where they hold.
  case open(AudioOpening)
  case order(SessionID, AudioOrder)
  /// Nil: the usual device.
  case route(SessionID, device: String?)
  case close(SessionID)
  /// Whether a process of a program plays or records straight at a sound server is to be told, and what it
  /// plays measured, by the monitors of its streams.
  case listen(AudioStraight)
  /// The streams of a program are looked at no more.
  case leave(program: UInt64)
  /// Comes with the descriptor of a socket: when `lulld` has ended, what plays goes on for the next one,
  /// which comes to the other end.
  ///
  /// Meanwhile rings and orders stay as they are, and nothing is told. `lull-audio` ends when the next
  /// `lulld` has said nothing 5 s later (`audioLinger`), and closes each session that is not opened again
  /// within 5 s of its first message (`audioClaim`). The next `lulld` ends a `lull-audio` that it has taken
  /// over when nothing has needed it for as long, and the session that follows starts the new file.
  case linger
}

extension MessageToAudio: DescribedMessage {
  package var verb: Verb {
    switch self {
    case .statusPage: .statusPage
    case .ring: .ring
    case .doorbell: .doorbell
    case .open: .open
    case .order: .order
    case .route: .route
    case .close: .close
    case .listen: .listen
    case .leave: .leave
    case .linger: .linger
    }
  }

  package static func blank(_ verb: Verb) -> Self {
    switch verb {
    case .statusPage: .statusPage
    case .ring: .ring
    case .doorbell: .doorbell
    case .open: .open(.blank)
    case .order: .order(SessionID(0), .play)
    case .route: .route(SessionID(0), device: nil)
    case .close: .close(SessionID(0))
    case .listen: .listen(.blank)
    case .leave: .leave(program: 0)
    case .linger: .linger
    }
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    switch self {
    case .statusPage, .ring, .doorbell, .linger: self
    case .open(let opening): .open(try opening.visited(by: &fields))
    case .order(let session, let order):
      .order(
        try fields.needed(.session, .identifier, value: session),
        try fields.needed(.order, .word, value: order))
    case .route(let session, let device):
      .route(
        try fields.needed(.session, .identifier, value: session),
        device: try fields.optional(.device, .deviceName, value: device))
    case .close(let session): .close(try fields.needed(.session, .identifier, value: session))
    case .listen(let straight): .listen(try straight.visited(by: &fields))
    case .leave(let program): .leave(program: try fields.needed(.program, .unsigned, value: program))
    }
  }
}

package struct AudioStraight: Equatable, Sendable {
  package var program: UInt64
  package var pid: Int32
  /// The address at which the sound server speaks the protocol of PulseAudio, as `PULSE_SERVER` has it.
  package var server: String
  /// The hangover that the owner of the machine wants for the program; nil: that of the rule.
  package var silence: Interval?
  /// What the program plays is measured.
  package var measures: Bool

  package init(
    program: UInt64, pid: Int32, server: String, silence: Interval? = nil, measures: Bool = false
  ) {
    (self.program, self.pid, self.server) = (program, pid, server)
    (self.silence, self.measures) = (silence, measures)
  }
}

extension AudioStraight: FieldGroup {
  package static var blank: Self { .init(program: 0, pid: 1, server: "") }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      program: try fields.needed(.program, .unsigned, value: program),
      pid: try fields.needed(.pid, .number(in: 1...Int32.max), value: pid),
      server: try fields.needed(.peer, .text, value: server),
      silence: try fields.optional(.silence, .seconds(in: Bounds.silences), value: silence),
      measures: try fields.flag(.audible, measures))
  }
}

package struct AudioOpening: Equatable, Sendable {
  package var session: SessionID
  package var program: UInt64
  /// A stream of the program may bear its name.
  package var name: String?
  package var fields: Request.Session
  package var order: AudioOrder
  /// The hangover that the owner of the machine wants for the program; nil: that of the rule.
  package var silence: Interval?

  package init(
    session: SessionID, program: UInt64, name: String? = nil, fields: Request.Session, order: AudioOrder,
    silence: Interval? = nil
  ) {
    (self.session, self.program, self.name) = (session, program, name)
    (self.fields, self.order, self.silence) = (fields, order, silence)
  }
}

extension AudioOpening: FieldGroup {
  package static var blank: Self {
    .init(session: SessionID(0), program: 0, fields: .blank, order: .play)
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      session: try fields.needed(.session, .identifier, value: session),
      program: try fields.needed(.program, .unsigned, value: program),
      name: try fields.optional(.name, .programName, value: name),
      fields: try self.fields.visited(by: &fields),
      order: try fields.needed(.order, .word, value: order),
      silence: try fields.optional(.silence, .seconds(in: Bounds.silences), value: silence))
  }
}

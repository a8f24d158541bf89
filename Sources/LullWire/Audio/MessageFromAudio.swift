/// A message of `lull-audio` to `lulld`: the other direction of ``MessageToAudio``.
package enum MessageFromAudio {
  package enum Verb: String, CaseIterable, Sendable {
    case began, ended, sounding, quiet, low, filled, drained, cut, streams, route
  }

  /// A session plays (captures), or would play if it were not held.
  case began(SessionID)
  /// A session plays (captures) no more: stopped, paused, drained, or starved for a second.
  case ended(SessionID)
  /// The sum of the program's sessions can be heard (docs/AUDIBILITY.md): of all, or of those without a deep
  /// buffer, which can be silent where all are not. The lease of the program is held.
  case sounding(program: UInt64, of: AudioScope)
  /// A program can no longer be heard; `rest` is the rest of the hangover, from now. Told again when the end
  /// of the hangover changes, as by a pause.
  case quiet(program: UInt64, of: AudioScope, rest: Interval)
  /// Fewer than `lowWater` frames of a session are left; once more when all of them have been heard.
  case low(SessionID)
  /// `lowWater` frames or more are left again.
  case filled(SessionID)
  /// Everything up to a session's drain has been played.
  case drained(SessionID)
  case cut(SessionID, CutReason)
  /// A program plays other sound straight to its sound server than before.
  case streams(program: UInt64, StraightSound)
  /// A session is on another device; without a session, that device is gone or there again.
  case route(RouteNotice)
}

extension MessageFromAudio: DescribedMessage {
  package var verb: Verb {
    switch self {
    case .began: .began
    case .ended: .ended
    case .sounding: .sounding
    case .quiet: .quiet
    case .low: .low
    case .filled: .filled
    case .drained: .drained
    case .cut: .cut
    case .streams: .streams
    case .route: .route
    }
  }

  package static func blank(_ verb: Verb) -> Self {
    switch verb {
    case .began: .began(SessionID(0))
    case .ended: .ended(SessionID(0))
    case .sounding: .sounding(program: 0, of: .all)
    case .quiet: .quiet(program: 0, of: .all, rest: .zero)
    case .low: .low(SessionID(0))
    case .filled: .filled(SessionID(0))
    case .drained: .drained(SessionID(0))
    case .cut: .cut(SessionID(0), .noDevice)
    case .streams: .streams(program: 0, .none)
    case .route: .route(.blank)
    }
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    switch self {
    case .began(let session): .began(try fields.needed(.session, .identifier, value: session))
    case .ended(let session): .ended(try fields.needed(.session, .identifier, value: session))
    case .sounding(let program, let scope):
      .sounding(
        program: try fields.needed(.program, .unsigned, value: program),
        of: try fields.needed(.of, .word, value: scope))
    case .quiet(let program, let scope, let rest):
      .quiet(
        program: try fields.needed(.program, .unsigned, value: program),
        of: try fields.needed(.of, .word, value: scope),
        rest: try fields.needed(.seconds, .seconds(in: Bounds.durations), value: rest))
    case .low(let session): .low(try fields.needed(.session, .identifier, value: session))
    case .filled(let session): .filled(try fields.needed(.session, .identifier, value: session))
    case .drained(let session): .drained(try fields.needed(.session, .identifier, value: session))
    case .cut(let session, let reason):
      .cut(
        try fields.needed(.session, .identifier, value: session),
        try fields.needed(.reason, .word, value: reason))
    case .streams(let program, let state):
      .streams(
        program: try fields.needed(.program, .unsigned, value: program),
        try fields.needed(.state, .word, value: state))
    case .route(let news): .route(try news.visited(by: &fields))
    }
  }
}

package struct RouteNotice: Equatable, Sendable {
  /// The session that is on another device; nil: all of them.
  package var session: SessionID?
  package var change: Vocabulary.RouteChange
  /// The device on which the sound is now; nil: there is none.
  package var device: String?
  /// The device on which the sound was.
  package var old: String?
  package var reason: RouteReason?

  package init(
    session: SessionID? = nil, change: Vocabulary.RouteChange, device: String? = nil, old: String? = nil,
    reason: RouteReason? = nil
  ) {
    (self.session, self.change, self.device) = (session, change, device)
    (self.old, self.reason) = (old, reason)
  }
}

extension RouteNotice: FieldGroup {
  package static var blank: Self { .init(change: .new) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    .init(
      session: try fields.optional(.session, .identifier, value: session),
      change: try fields.needed(.change, .word, value: change),
      device: try fields.optional(.device, .text, value: device),
      old: try fields.optional(.old, .text, value: old),
      reason: try fields.optional(.reason, .word, value: reason))
  }
}

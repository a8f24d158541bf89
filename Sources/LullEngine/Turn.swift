/// The context of one event.
struct Turn: Sendable {
  let policy: Policy
  let now: Moment
  let programs: Int
  var surroundings: Surroundings
  private(set) var lastTicket: UInt64
  private(set) var effects: [Effect]
  /// A keep-alive or an own timer ran because it had to: every program whose window is open runs with it.
  var runsKeepAlives = false
  var rearrangesSound = false
  var enforcesLimits = false

  init(
    policy: Policy, now: Moment, programs: Int, surroundings: Surroundings, lastTicket: UInt64,
    effects: [Effect]
  ) {
    self.policy = policy
    self.now = now
    self.programs = programs
    self.surroundings = surroundings
    self.lastTicket = lastTicket
    self.effects = effects
  }

  mutating func perform(_ effect: Effect) { effects.append(effect) }

  mutating func note(_ app: AppID?, _ note: Note) { effects.append(.note(app, note)) }

  mutating func newTicket() -> Ticket {
    lastTicket &+= 1
    return Ticket(lastTicket)
  }

  consuming func takeEffects() -> [Effect] { effects }
}

/// Counts the rounds of a loop that goes on until nothing is left to do. Rules that contradict each other are
/// a trap in a debug build, and are left alone with a note otherwise: the programs of others are to go on.
struct LoopLimit {
  private var left: Int

  init(_ rounds: Int) { left = rounds }

  mutating func goesOn(_ app: AppID?, _ turn: inout Turn) -> Bool {
    left -= 1
    guard left < 0 else { return true }
    assertionFailure("the rules do not come to an end")
    turn.note(app, .gaveUp)
    return false
  }
}

import LullEngine
import Testing

/// Drives an engine through a story and gives back the orders to the shell, as text lines.
///
/// Programs are called by their names, times are seconds since the start. Tickets are remembered, so that a
/// story says `did("phone")` for "the outstanding message returned". Journal entries are kept apart, in
/// `notes`.
struct Script {
  private(set) var engine: Engine
  private(set) var now = Moment(nanoseconds: 0)
  private var notes: [Note] = []
  private var cast = Cast()
  private(set) var answer: Engine.Answer?

  /// The default policy, except that a program is frozen with its `done`.
  static var prompt: Policy {
    var policy = Policy()
    policy.settlingTime = .zero
    return policy
  }

  init(policy: Policy = Script.prompt, lastNumber: UInt32 = 0) {
    engine = Engine(policy: policy, lastNumber: lastNumber)
  }

  /// The engine's effects without the journal.
  @discardableResult
  mutating func feed(_ event: Event, sourceLocation: SourceLocation = #_sourceLocation) -> [String] {
    var effects: [Effect] = []
    engine.handle(event, at: now, effects: &effects)
    // A kill waits for the tick.
    if case .tick = event, let deadline = engine.deadline {
      #expect(deadline > now, "something is still due", sourceLocation: sourceLocation)
    }
    return tell(effects)
  }

  /// Makes a request; its answer stands before the effects and in `answer`.
  @discardableResult
  mutating func ask(_ request: Engine.Request) -> [String] {
    var effects: [Effect] = []
    let answer = engine.handle(request, at: now, effects: &effects)
    self.answer = answer
    return [cast.text(of: answer)] + tell(effects)
  }

  private mutating func tell(_ effects: [Effect]) -> [String] {
    var lines: [String] = []
    for effect in effects {
      if case .note(_, let note) = effect { notes.append(note) }
      cast.learn(effect)
      if let text = cast.text(of: effect) { lines.append(text) }
    }
    return lines
  }

  /// Lets time pass up to and with `seconds`. Effects on the way have their time before them.
  @discardableResult
  mutating func pass(to seconds: Double, sourceLocation: SourceLocation = #_sourceLocation) -> [String] {
    let end = Moment(seconds)
    var lines: [String] = []
    while let deadline = engine.deadline, deadline <= end {
      now = max(now, deadline)
      lines += feed(.tick, sourceLocation: sourceLocation).map { "\(now.text) s: \($0)" }
    }
    now = max(now, end)
    return lines
  }

  /// Moves on without a tick, as a late shell does.
  mutating func jump(to seconds: Double) { now = Moment(seconds) }

  /// The journal's entries since the last call.
  mutating func takeNotes() -> [Note] {
    defer { notes = [] }
    return notes
  }

  func id(_ name: String) -> AppID {
    guard let id = cast.programs[name] else { fatalError("no program \(name) in this story") }
    return id
  }

  func view(_ name: String) throws -> AppView { try #require(engine.program(id(name), at: now)) }
  func state(_ name: String) -> ApplicationState? { engine.state(of: id(name)) }
  func leases(_ name: String) throws -> [LeaseKind] { try view(name).leases.map(\.kind) }
  /// The last ticket of each sort that a program was given.
  func compactionTicket(_ name: String) -> Ticket { cast.compactions[id(name)] ?? Ticket(0) }
  func messageTicket(_ name: String) -> Ticket { cast.messages[id(name)] ?? Ticket(0) }
  func wakeTicket(_ name: String) -> Ticket { cast.wakes[id(name)] ?? Ticket(0) }
  var measurement: Ticket { cast.measurement }
  func freezeTicket(_ name: String) -> Ticket { cast.freezes[id(name)] ?? Ticket(0) }
}

extension Moment {
  init(_ seconds: Double) { self.init(nanoseconds: Int64((seconds * 1e9).rounded())) }

  var text: String { (self - Moment(nanoseconds: 0)).text }
}

extension Interval {
  var text: String {
    let text = "\(seconds)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

import LullEngine

/// The least that could stand in the engine's place: per event it changes one program's state in an array,
/// moves its deadline in a binary heap and appends the effects. It knows no rule and would not do as an
/// engine.
struct Floor: Machine {
  private enum State {
    case awake
    case freezing(Ticket)
    case asleep
  }

  private struct Program {
    var state = State.awake
    var keepAlive = Moment.never
    var leaseEnds = Moment.never
    var deadline: Moment { min(keepAlive, leaseEnds) }
  }

  private var programs: [Program] = []
  private var heap = Heap()
  private var lastTicket: UInt64 = 0

  var deadline: Moment? { heap.first?.moment }

  mutating func handle(_ event: Event, at now: Moment, effects: inout [Effect]) {
    switch event {
    case .ready(let id, let line, _): wake(id, reason: .data, line: line, now: now, effects: &effects)
    case .done(let id, _): fallAsleep(id, &effects)
    case .observed(let id, let ticket, _): effects.append(.watch(id, ticket, WatchPlan()))
    case .frozen(let id, let ticket):
      if case .freezing(ticket) = programs[Int(id.slot)].state { programs[Int(id.slot)].state = .asleep }
    case .freezeRefused(let id, _, _, _, _):
      programs[Int(id.slot)].state = .awake
      programs[Int(id.slot)].leaseEnds = now + .milliseconds(100)
      effects.append(.thaw(id))
      place(id)
    case .tick: tick(now, &effects)
    default: break
    }
  }

  mutating func handle(
    _ request: Engine.Request, at now: Moment, effects: inout [Effect]
  ) -> Engine.Answer {
    switch request {
    case .register:
      programs.append(Program())
      let id = AppID(slot: UInt32(programs.count - 1), generation: 0)
      effects.append(.deliver(id, .didEnterBackground, ticket()))
      return .registered(id, .background)
    case .hold(let id, _, _): return .line(LineID(id.slot))
    case .keepAlive(let id, let timeout?, _, _):
      programs[Int(id.slot)].keepAlive = now + timeout
      place(id)
      return .done
    default: return .done
    }
  }

  private mutating func tick(_ now: Moment, _ effects: inout [Effect]) {
    while let first = heap.first, first.moment <= now {
      let id = AppID(slot: UInt32(first.slot), generation: 0)
      if programs[first.slot].leaseEnds <= now { fallAsleep(id, &effects) }
      guard programs[first.slot].keepAlive <= now else { continue }
      programs[first.slot].keepAlive = now + .seconds(600)
      wake(id, reason: .keepalive, line: nil, now: now, effects: &effects)
      effects.append(.runKeepAlive(id, ticket()))
    }
  }

  private mutating func wake(
    _ id: AppID, reason: WakeReason, line: LineID?, now: Moment, effects: inout [Effect]
  ) {
    if case .awake = programs[Int(id.slot)].state { return place(id) }
    programs[Int(id.slot)].state = .awake
    programs[Int(id.slot)].leaseEnds = now + .seconds(10)
    place(id)
    effects.append(.thaw(id))
    effects.append(.woke(id, Wake(reason: reason, line: line, moment: now), ticket()))
  }

  private mutating func fallAsleep(_ id: AppID, _ effects: inout [Effect]) {
    let ticket = ticket()
    programs[Int(id.slot)].state = .freezing(ticket)
    programs[Int(id.slot)].leaseEnds = .never
    place(id)
    effects.append(.freeze(id, ticket))
  }

  private mutating func place(_ id: AppID) { heap.set(Int(id.slot), programs[Int(id.slot)].deadline) }

  private mutating func ticket() -> Ticket {
    lastTicket += 1
    return Ticket(lastTicket)
  }
}

import LullEngine

/// The engine, or the floor that is measured beside it.
protocol Machine {
  var deadline: Moment? { get }
  mutating func handle(_ event: Event, at now: Moment, effects: inout [Effect])
  mutating func handle(_ request: Engine.Request, at now: Moment, effects: inout [Effect]) -> Engine.Answer
}

/// An event or a request for a machine.
enum Input {
  case event(Event)
  case request(Engine.Request)
}

extension Machine {
  mutating func take(_ input: Input, at now: Moment, effects: inout [Effect]) {
    switch input {
    case .event(let event): handle(event, at: now, effects: &effects)
    case .request(let request): _ = handle(request, at: now, effects: &effects)
    }
  }
}

extension Engine: Machine {}

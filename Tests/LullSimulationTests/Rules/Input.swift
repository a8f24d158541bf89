import LullEngine

/// The engine's input in one step.
enum Input: Sendable {
  case event(Event)
  case request(Engine.Request)

  var event: Event? { if case .event(let event) = self { event } else { nil } }
  var request: Engine.Request? { if case .request(let request) = self { request } else { nil } }

  /// The program of the input.
  var app: AppID? {
    switch self {
    case .event(let event): event.app
    case .request(let request): request.app
    }
  }
}

extension Engine {
  /// Takes an event, or answers a request.
  mutating func take(_ input: Input, at now: Moment, effects: inout [Effect]) -> Answer? {
    switch input {
    case .event(let event):
      handle(event, at: now, effects: &effects)
      return nil
    case .request(let request): return handle(request, at: now, effects: &effects)
    }
  }
}

import LullEngine

/// Every kind of event and request, so that the compiler asks for a new one here and in `EventMaker`.
enum EventKind: CaseIterable {
  case register, adopt, leave, exited, did, done, hold, release, keepAlive, beginTask, endTask, remaining
  case present, schedule, cancel, openSession, endSession, transition, answer, observed, frozen, freezeRefused
  case lineFound, ending, childEnded, ready, lineLost, lineForgotten, sound, audibility, routeChanged, tick,
    wallClock
  case signalled, unfrozen, pingAnswered, stoodStill

  init(_ input: Input) {
    self =
      switch input {
      case .event(let event): EventKind(event)
      case .request(let request): EventKind(request)
      }
  }

  private init(_ event: Event) {
    self =
      switch event {
      case .leave: .leave
      case .exited: .exited
      case .did: .did
      case .done: .done
      case .observed: .observed
      case .frozen: .frozen
      case .freezeRefused: .freezeRefused
      case .ending: .ending
      case .childEnded: .childEnded
      case .ready: .ready
      case .lineLost: .lineLost
      case .lineForgotten: .lineForgotten
      case .sound: .sound
      case .audibility: .audibility
      case .routeChanged: .routeChanged
      case .tick: .tick
      case .wallClock: .wallClock
      case .signalled: .signalled
      case .unfrozen: .unfrozen
      case .pingAnswered: .pingAnswered
      case .stoodStill: .stoodStill
      }
  }

  private init(_ request: Engine.Request) {
    self =
      switch request {
      case .register: .register
      case .adopt: .adopt
      case .hold: .hold
      case .release: .release
      case .keepAlive: .keepAlive
      case .beginTask: .beginTask
      case .endTask: .endTask
      case .remaining: .remaining
      case .present: .present
      case .schedule: .schedule
      case .cancel: .cancel
      case .openSession: .openSession
      case .endSession: .endSession
      case .transition: .transition
      case .answer: .answer
      case .lineFound: .lineFound
      }
  }
}

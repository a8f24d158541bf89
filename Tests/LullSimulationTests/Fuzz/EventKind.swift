import LullEngine

/// Every kind of event and request, so that the compiler asks for a new one here and in `EventMaker`.
enum EventKind: CaseIterable {
  case register, adopt, leave, letGo, exited, did, done, handling, hold, release, keepAlive, beginTask,
    endTask,
    remaining
  case present, schedule, cancel, openSession, endSession, transition, answer
  case answerAtLaunch, launchFailed, restore, localZone, looked, observed, frozen, freezeRefused
  case lineFound, ending, childEnded, ready, lineLost, lineForgotten, sound, audibility, routeChanged, tick,
    wallClock
  case admit, uninstall, forceQuit, launch, launchable
  case open, signalled, unfrozen, pingAnswered, stoodStill, surrounding, reconnect, wakeIn, compacted,
    lockAwaited, signalDue
  case traced
  case pressure, sizes, purge, linesWait, linesReady, linesTaken
  case fetch, fetched, push, announce, accessory
  case permitRecording

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
      case .letGo: .letGo
      case .exited: .exited
      case .did: .did
      case .done: .done
      case .handling: .handling
      case .fetched: .fetched
      case .looked: .looked
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
      case .traced: .traced
      case .surrounding: .surrounding
      case .accessory: .accessory
      case .reconnect: .reconnect
      case .compacted: .compacted
      case .lockAwaited: .lockAwaited
      case .signalDue: .signalDue
      case .pressure: .pressure
      case .sizes: .sizes
      case .linesWait: .linesWait
      case .linesReady: .linesReady
      case .linesTaken: .linesTaken
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
      case .fetch: .fetch
      case .push: .push
      case .announce: .announce
      case .wakeIn: .wakeIn
      case .beginTask: .beginTask
      case .endTask: .endTask
      case .remaining: .remaining
      case .present: .present
      case .schedule: .schedule
      case .cancel: .cancel
      case .openSession: .openSession
      case .endSession: .endSession
      case .transition: .transition
      case .purge: .purge
      case .answer: .answer
      case .answerAtLaunch: .answerAtLaunch
      case .launchFailed: .launchFailed
      case .admit: .admit
      case .uninstall: .uninstall
      case .forceQuit: .forceQuit
      case .launchable: .launchable
      case .launch: .launch
      case .restore: .restore
      case .localZone: .localZone
      case .open: .open
      case .lineFound: .lineFound
      case .permitRecording: .permitRecording
      }
  }
}

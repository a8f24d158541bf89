import LullEngine
import TestSupport
import Testing

@Suite(.bounded(seconds: 600)) struct ResumeFigureTests {
  /// A machine that is suspended whenever no program holds it up: ten phones, a program that cannot sleep,
  /// and a player that sleeps with a timer of its own.
  private struct Machine {
    var engine = Engine()
    private(set) var resumes = 0, runs = 0
    private(set) var fetches = 0, pushed = 0, places = 0
    private var now = Moment(nanoseconds: 0)
    private var busy: AppID?
    /// What others send over the network resumes the machine at these moments.
    private var pushes: [Moment] = []
    private var news: AppID?
    /// GeoClue tells a place when the machine runs, and half an hour after the last one at the earliest.
    private var walker: (app: AppID, line: LineID, due: Moment)?

    private mutating func take(_ input: Input) {
      var effects: [Effect] = []
      _ = engine.take(input, at: now, effects: &effects)
      for effect in effects { perform(effect) }
    }

    private mutating func perform(_ effect: Effect) {
      switch effect {
      case .freeze(let app, let ticket): take(.event(.observed(app, ticket, observation(app))))
      case .watch(let app, let ticket, _): take(.event(.frozen(app, ticket)))
      case .woke(let app, let wake, let ticket) where ![.keepalive, .fetch, .push].contains(wake.reason):
        if wake.reason == .location { places += 1 }
        take(.event(.done(app, ticket)))
      case .runFetch(let app, let ticket):
        fetches += 1
        take(.event(.fetched(app, ticket, .newData)))
      case .push(let app, _, let ticket):
        pushed += 1
        take(.event(.fetched(app, ticket, .newData)))
      case .runKeepAlive(let app, let ticket):
        runs += 1
        take(.event(.done(app, ticket)))
      default: break
      }
    }

    private func observation(_ app: AppID) -> Observation {
      guard engine.registration(of: app)?.speaks == false else { return Observation() }
      var observation = Observation()
      let wait: ObservedWait = app == busy ? .works : .time
      observation.threads = [ObservedThread(process: 1, thread: 1, wait: wait, timeOut: .seconds(20))]
      return observation
    }

    mutating func add(
      _ name: String, _ modes: Modes, speaks: Bool = true, keepsAlive: Bool = true, isBusy: Bool = false
    ) {
      var registration = Registration(name: name, modes: modes)
      (registration.speaks, registration.resumes) = (speaks, .background)
      registration.launch = .background
      take(.request(.register(registration)))
      guard let app = engine.find(name: name) else { return }
      if isBusy { busy = app }
      if speaks, keepsAlive { take(.request(.keepAlive(app, .seconds(600), lastRun: nil))) }
      now = now + .seconds(1)
    }

    /// Adds a program that fetches every 4 h, one that is pushed something at these moments, and one that
    /// follows where the machine is.
    mutating func addModes(pushes: [Moment]) {
      for (name, modes) in [("mail", Modes.fetch), ("news", .remoteNotification), ("walker", .location)] {
        add(name, modes, keepsAlive: false)
      }
      (news, self.pushes) = (engine.find(name: "news"), pushes)
      if let mail = engine.find(name: "mail") { take(.request(.fetch(mail, .seconds(4 * 3600), since: nil))) }
      var effects: [Effect] = []
      guard let app = engine.find(name: "walker"),
        case .line(let line)? = engine.take(.request(.hold(app, .location, [])), at: now, effects: &effects)
      else { return }
      walker = (app, line, now)
    }

    /// Takes what came while the machine was suspended.
    private mutating func receive() {
      if let news, let moment = pushes.first, moment <= now {
        pushes.removeFirst()
        take(.request(.push(news, RemoteNotification())))
      }
      guard let (app, line, due) = walker, due <= now else { return }
      walker?.due = now + .seconds(1800)
      take(.event(.ready(app, line, .data)))
    }

    /// Is suspended again and again until `end`, and each time resumed at the moment that `alarm` says, or by
    /// a push.
    mutating func suspend(until end: Moment, alarm: (Engine) -> Moment?) {
      while let due = engine.deadline, due <= end {
        if due - now > .milliseconds(50), !engine.holdsMachine {
          guard let next = [alarm(engine), pushes.first].compactMap(\.self).min(), next <= end else { return }
          if next - now > .zero { take(.event(.stoodStill(next - now))) }
          now = max(now, next)
          resumes += 1
          receive()
        } else {
          now = max(now, due)
        }
        take(.event(.tick))
      }
    }
  }

  /// Some hours of the machine, which is pushed something at these moments. Without moments no program has
  /// one of these modes.
  private func run(hours: Int = 24, pushes: [Moment]? = nil, _ alarm: (Engine) -> Moment?) -> Machine {
    var machine = Machine()
    for number in 0..<10 { machine.add("phone \(number)", .voip) }
    machine.add("busy", .voip, speaks: false, isBusy: true)
    machine.add("player", .audio, speaks: false)
    if let pushes { machine.addModes(pushes: pushes) }
    machine.suspend(until: Moment(nanoseconds: 0) + .seconds(Int64(hours) * 3600), alarm: alarm)
    return machine
  }

  @Test func `ten phones, a busy program and a player resume a suspended machine 144 times a day`() {
    let machine = run(\.alarm)
    #expect(machine.resumes == 144)
    #expect((1430...1440).contains(machine.runs))
  }

  @Test func `one alarm for all that is due would resume it for each look at the busy program`() {
    #expect(run(hours: 2, \.deadline).resumes > 660)
  }

  @Test func `each push resumes it once more, and fetches and places never do`() {
    let pushes = (0..<25).map { Moment(nanoseconds: 0) + .seconds(700 + 3_333 * $0) }
    let (alone, machine) = (run(\.alarm), run(pushes: pushes, \.alarm))
    #expect(machine.resumes == alone.resumes + 25)
    #expect(machine.runs == alone.runs)
    #expect(machine.pushed == 25)
    #expect((5...6).contains(machine.fetches))
    #expect((40...48).contains(machine.places))
  }
}

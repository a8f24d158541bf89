import LullEngine
import TestSupport
import Testing

@Suite(.bounded(seconds: 600)) struct ResumeFigureTests {
  /// A machine that is suspended whenever no program holds it up: ten phones, a program that cannot sleep,
  /// and a player that sleeps with a timer of its own.
  private struct Machine {
    var engine = Engine()
    private(set) var resumes = 0
    private(set) var runs = 0
    private var now = Moment(nanoseconds: 0)
    private var busy: AppID?

    private mutating func take(_ input: Input) {
      var effects: [Effect] = []
      _ = engine.take(input, at: now, effects: &effects)
      for effect in effects { perform(effect) }
    }

    private mutating func perform(_ effect: Effect) {
      switch effect {
      case .freeze(let app, let ticket): take(.event(.observed(app, ticket, observation(app))))
      case .watch(let app, let ticket, _): take(.event(.frozen(app, ticket)))
      case .woke(let app, let wake, let ticket) where wake.reason != .keepalive:
        take(.event(.done(app, ticket)))
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

    mutating func add(_ name: String, _ modes: Modes, speaks: Bool = true, isBusy: Bool = false) {
      var registration = Registration(name: name, modes: modes)
      (registration.speaks, registration.resumes) = (speaks, .background)
      registration.launch = .background
      take(.request(.register(registration)))
      guard let app = engine.find(name: name) else { return }
      if isBusy { busy = app }
      if speaks { take(.request(.keepAlive(app, .seconds(600), lastRun: nil))) }
      now = now + .seconds(1)
    }

    /// Is suspended again and again until `end`, and each time resumed at the moment that `alarm` says.
    mutating func suspend(until end: Moment, alarm: (Engine) -> Moment?) {
      while let due = engine.deadline, due <= end {
        if due - now > .milliseconds(50), !engine.holdsMachine {
          guard let alarm = alarm(engine), alarm <= end else { return }
          if alarm - now > .zero { take(.event(.stoodStill(alarm - now))) }
          now = max(now, alarm)
          resumes += 1
        } else {
          now = max(now, due)
        }
        take(.event(.tick))
      }
    }
  }

  private func resumes(_ alarm: (Engine) -> Moment?) -> (resumes: Int, runs: Int) {
    var machine = Machine()
    for number in 0..<10 { machine.add("phone \(number)", .voip) }
    machine.add("busy", .voip, speaks: false, isBusy: true)
    machine.add("player", .audio, speaks: false)
    machine.suspend(until: Moment(nanoseconds: 0) + .seconds(24 * 3600), alarm: alarm)
    return (machine.resumes, machine.runs)
  }

  @Test func `ten phones, a busy program and a player resume a suspended machine 144 times a day`() {
    let day = resumes(\.alarm)
    #expect((143...144).contains(day.resumes))
    #expect((1430...1440).contains(day.runs))
  }

  @Test func `one alarm for all that is due would resume it for each look at the busy program`() {
    #expect(resumes(\.deadline).resumes > 8_000)
  }
}

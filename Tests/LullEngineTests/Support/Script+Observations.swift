import LullEngine
import Testing

/// Observations of a command that sleeps by itself, called "server".
extension Script {
  /// A command after its trial, observed for the first time at 2 s.
  static func observed(
    policy: Policy = Script.prompt, _ configure: (inout Registration) -> Void = { _ in }
  ) -> Script {
    var script = Script(policy: policy)
    script.run("server", configure)
    script.pass(to: 1)
    script.frozen("server")
    script.pass(to: 2)
    return script
  }

  /// The result of an observation: a refusal, or the watch plan.
  mutating func observe(_ observation: Observation) -> String {
    _ = takeNotes()
    let effects = observed("server", observation)
    for case .freezeRefused(let why, _) in takeNotes() { return why.rawValue }
    return effects.joined(separator: "; ")
  }

  /// Lets time pass until the next observation begins, and returns its time.
  mutating func nextObservation() -> Double {
    let last = freezeTicket("server")
    while freezeTicket("server") == last, let deadline = engine.deadline {
      pass(to: (deadline - Moment(0)).seconds)
    }
    return (now - Moment(0)).seconds
  }

  var detail: Detail { engine.program(id("server"), at: now)?.lastDetail ?? .none }

  /// The observation finds the server idle, and it sleeps.
  mutating func sleeps(_ observation: Observation, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(observe(observation).hasPrefix("watch"), sourceLocation: sourceLocation)
    feed(.frozen(id("server"), freezeTicket("server")))
    #expect(state("server") == .suspended, sourceLocation: sourceLocation)
  }
}

extension Observation {
  /// A thread that waits for a line from outside on which nothing has come.
  static let idle = Observation([.waiting(.sources)], [.line(1)])

  init(_ threads: [ObservedThread], _ sources: [WakeSource] = []) {
    self.init()
    self.threads = threads
    self.sources = sources
  }

  func with(_ change: (inout Observation) -> Void) -> Observation {
    var copy = self
    change(&copy)
    return copy
  }
}

extension ObservedThread {
  static func waiting(_ wait: ObservedWait, for seconds: Double? = nil) -> ObservedThread {
    ObservedThread(process: 100, thread: 100, wait: wait, timeOut: seconds.map { Interval($0) })
  }
}

extension WakeSource {
  static func line(
    _ line: UInt32, role: Role = .waited, reach: Reach = .outside,
    _ change: (inout WakeSource) -> Void = { _ in }
  ) -> WakeSource {
    var source = WakeSource(line: LineID(line), role: role, reach: reach)
    change(&source)
    return source
  }

  func with(_ change: (inout WakeSource) -> Void) -> WakeSource {
    var copy = self
    change(&copy)
    return copy
  }

  /// A source that only the program itself can make ready, such as an eventfd.
  static func own(_ reach: Reach = .inside) -> WakeSource {
    WakeSource(line: nil, role: .waited, reach: reach)
  }
}

extension Interval {
  init(_ seconds: Double) { self.init(nanoseconds: Int64((seconds * 1e9).rounded())) }
}

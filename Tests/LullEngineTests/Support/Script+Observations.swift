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

  /// The object of the last refusal.
  var detail: Detail { engine.program(id("server"), at: now)?.lastDetail ?? .none }

  /// The observation finds the server idle, and it sleeps.
  mutating func sleeps(_ observation: Observation, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(observe(observation).hasPrefix("watch"), sourceLocation: sourceLocation)
    feed(.frozen(id("server"), freezeTicket("server")))
    #expect(state("server") == .suspended, sourceLocation: sourceLocation)
  }
}

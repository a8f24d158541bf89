import LullEngine

/// What is measured: the engine, or the floor beside it.
protocol Machine {
  var deadline: Moment? { get }
  mutating func handle(_ event: Event, at now: Moment, effects: inout [Effect])
}

extension Engine: Machine {}

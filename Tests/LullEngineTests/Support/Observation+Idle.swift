import LullEngine

extension Observation {
  /// A thread that waits for a line from outside on which nothing has come.
  static let idle = Observation([.waiting(.sources)], [.line(1)])

  init(_ threads: [ObservedThread], _ sources: [WakeSource] = []) {
    self.init()
    self.threads = threads
    self.sources = sources
  }

  /// This observation, changed.
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

  /// This source, changed.
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

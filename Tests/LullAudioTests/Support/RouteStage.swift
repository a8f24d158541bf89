import LullAudio
import LullSystem
import Testing

/// Two devices or more, with the test's clock: each plays its frames and keeps them.
final class RouteStage {
  private(set) var reports: [RouteReport] = []
  /// What was told to lulld, with its times.
  private(set) var told: [(at: Int64, report: AudioReport)] = []
  private(set) var now: Int64 = 1_000_000_000_000
  private(set) var passes = 0
  /// The names of the opened devices, one for each opening.
  private(set) var opened: [String] = []
  private var sinks: [(name: String, sink: FakeSink)] = []
  /// The devices that cannot be opened.
  var missing: [String] = []
  private var due: Int64?
  private var made: Routes<Renderer>?
  private var madeAudience: Audience?

  private let makeSink: () -> FakeSink

  init(closeAfter: Int64 = 10_000_000_000, sink: @escaping () -> FakeSink = { FakeSink() }) {
    makeSink = sink
    let audience = Audience(report: { [weak self] report in self?.note(report) })
    madeAudience = audience
    made = Routes(
      usual: "usual",
      make: { [unowned self] name in
        Renderer(
          audience: audience, closeAfter: closeAfter,
          open: { [unowned self] _ throws(SinkError) in try open(name) },
          report: { [unowned self] in told.append((now, $0)) })
      },
      canOpen: { [unowned self] name in !missing.contains(name) },
      report: { [unowned self] in reports.append($0) })
  }

  private func note(_ report: AudioReport) { told.append((now, report)) }

  var spoken: [AudioReport] { told.map(\.report) }

  var routes: Routes<Renderer> {
    guard let made else { preconditionFailure("the stage is being made") }
    return made
  }

  var audience: Audience {
    guard let madeAudience else { preconditionFailure("the stage is being made") }
    return madeAudience
  }

  private func open(_ name: String) throws(SinkError) -> any Sink {
    guard !missing.contains(name) else { throw .gone("\(name): no such device") }
    opened.append(name)
    let sink = sink(name)
    sink.failure = nil
    return sink
  }

  /// The device of that name, as it was opened last or will be.
  func sink(_ name: String) -> FakeSink {
    if let known = sinks.first(where: { $0.name == name }) { return known.sink }
    let sink = makeSink()
    sinks.append((name, sink))
    return sink
  }

  /// The left channel of the frames that a device has played.
  func played(_ name: String) -> [Float] {
    let sink = sink(name)
    return stride(from: 0, to: sink.played.count, by: sink.format.channels).map { sink.played[$0] }
  }

  /// Pulls out a device.
  func unplug(_ name: String) {
    missing.append(name)
    sink(name).stop()
    sink(name).failure = .gone("\(name): unplugged")
  }

  func plug(_ name: String) { missing.removeAll { $0 == name } }

  func add(_ session: RenderSession, to device: String?) {
    routes.add(session.session, id: session.session.request.id, to: device, now: now)
    pass()
  }

  func move(_ id: UInt64, to device: String?) {
    routes.move(id, to: device, now: now)
    pass()
  }

  func pass() {
    passes += 1
    due = routes.pass(now: now)
  }

  /// Serves a session whose program rings.
  func look(_ id: UInt64) {
    routes.touch(id)
    pass()
  }

  func run(milliseconds: Int, step: Int = 1) {
    for _ in 0..<milliseconds / step {
      now += Int64(step) * 1_000_000
      for (_, sink) in sinks { sink.play(sink.format.rate * step / 1000) }
      if let due, due <= now { pass() }
    }
  }
}

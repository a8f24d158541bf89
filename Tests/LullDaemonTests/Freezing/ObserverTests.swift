import Glibc
import LullChannel
import LullEngine
import LullSystem
import Synchronization
import TestSupport
import Testing

@testable import LullDaemon

private let serial = Atomic<Int>(0)

/// Observations of a real process that is frozen in a real cgroup.
@Suite(.bounded) final class ObserverTests {
  private let cgroup: Cgroup
  private let reactor: DaemonReactor
  private let releases: ReleaseQueue
  private let sources: WakeSources
  private let observer: Observer
  private let app = AppID(slot: 1, generation: 0)
  private var child: Child?

  init() throws {
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    cgroup = try Cgroup.create(
      at: "\(CgroupMount.find())/lull-observer-test-\(Identity.pid())-\(number)")
    reactor = try DaemonReactor()
    releases = ReleaseQueue(reactor)
    sources = WakeSources(reactor, closer: Closer(), releases: releases, journal: Journal())
    var policy = Policy()
    // On a loaded machine a thread stops when it gets a processor.
    policy.inspectionTime = .seconds(10)
    observer = Observer(
      ObserverServices(
        reactor: reactor, closer: Closer(), releases: releases, clock: EngineClock(rate: 1, base: 0),
        policy: policy, controlPath: "/nowhere", journal: Journal()))
  }

  deinit {
    try? cgroup.killAll()
    _ = try? child?.end()
    try? eventually("the cgroup did not become empty") { try !cgroup.state().populated }
    try? cgroup.remove()
  }

  /// `cat`, when it waits for a pipe that comes as its standard input.
  private func cat(reading pipe: Int32, sound: StraightSound = .none) throws -> ObservedProgram {
    var request = SpawnRequest(["cat"])
    request.cgroup = cgroup.directory
    request.standardInput = pipe
    let child = try Child(request)
    self.child = child
    try eventually("cat did not begin to read") {
      let stat = try Files.read("/proc/\(child.pid)/stat", limit: 1 << 16)
      let isCat = String(decoding: stat, as: UTF8.self).contains("(cat)")
      return try isCat && #require(stat.lastIndex(of: UInt8(ascii: ")")).map { stat[$0 + 2] }) == 0x53
    }
    try cgroup.freeze()
    try eventually("cat was not frozen") { try cgroup.state().frozen }
    return try observed(child.pid, in: cgroup, sound: sound)
  }

  private func observed(_ pid: Int32, in cgroup: Cgroup, sound: StraightSound = .none) throws
    -> ObservedProgram
  {
    ObservedProgram(
      id: app, pid: pid, pidfd: DescriptorBox(try Process.pidfdOpen(pid)), hasLeader: true,
      suspender: .cgroup(cgroup), sleepsByItself: true, hasUDPKeepAlive: false, command: nil, doorbells: [],
      sound: sound, isAsking: false, signalledSince: nil, known: sources.known(of: app))
  }

  /// Goes through an observation as the daemon does; `nextLine` gives the lines.
  private func look(at program: ObservedProgram, _ nextLine: () -> LineID?) throws -> Observation {
    sources.beginObservation(at: app)
    observer.begin(program, nil)
    for _ in 0..<1000 {
      switch observer.advance(app, until: .max) {
      case .found(let found):
        let lines = found.map { one -> LineID? in
          if let line = one.line, sources.update(one, of: app) { return line }
          guard let line = nextLine() else { return nil }
          sources.add(one, as: line, of: app)
          return line
        }
        observer.attached(lines, of: app)
      case .told, .stale: break
      case .dropLost(let last):
        if let rest = sources.dropLost(of: app, before: last).rest {
          observer.dropLost(of: app, before: rest)
        }
      case .seen: return observer.observation(of: app).0
      case .unfinished, nil: throw SystemError(code: 22, call: "the look did not go on")
      }
    }
    throw SystemError(code: 22, call: "the look did not end")
  }

  @Test func `what a thread reads is found, becomes a line once, and wakes the program`() throws {
    let (own, other) = try UnixSocket.pair()
    let program = try cat(reading: other.raw)
    other.close()
    var given = 0
    for _ in 0..<2 {
      let observation = try look(at: program) {
        given += 1
        return LineID(1)
      }
      #expect(observation.obstacle == nil)
      #expect(observation.threads.map(\.wait) == [.sources])
      let source = try #require(observation.sources.first)
      #expect(source.line == LineID(1))
      #expect(source.role == .waited)
      #expect(!source.isReady)
      #expect(given == 1)
      _ = observer.finish(app)
    }
    sources.beginArming(of: app, WatchPlan(), nil)
    var isArmed = false
    while !isArmed { if case .done = try sources.armNext(of: app) { isArmed = true } }
    #expect(try Socket.write(own.raw, [1]) == .sent(1))
    try reactor.wait(timeoutMilliseconds: patience)
    guard case .line(let line)? = reactor[0]?.source else { return #expect(Bool(false), "no line is ready") }
    #expect(sources.program(wokenBy: line)?.id == app)
  }

  @Test(arguments: ["raises", "raises-other"])
  func `what raises a signal is found, whatever the signal, and whichever process gets it`(call: String)
    throws
  {
    let waiting = try WaitingProgram(call)
    try waiting.group.freeze()
    let program = try observed(waiting.pid, in: waiting.group.cgroup)
    let observation = try look(at: program) { LineID(1) }
    #expect(observation.threads.allSatisfy { $0.wait == .signal })
    #expect(observation.sources.map(\.role) == [.open])
    observer.end(app)
    releases.letGo()
  }

  @Test(arguments: StraightSound.allCases)
  func `a connection to a sound server wakes nobody while what is played there is measured`(
    sound: StraightSound
  ) throws {
    let directory = try TemporaryDirectory()
    let path = "\(directory.path)/pulse-x"
    #expect(unsafe mkdir(path, 0o700) == 0)
    let server = DescriptorBox(try UnixSocket.listen(path: "\(path)/native"))
    let client = DescriptorBox(try UnixSocket.connect(path: "\(path)/native"))
    let program = try cat(reading: client.raw, sound: sound)
    client.close()
    let observation = try look(at: program) { LineID(1) }
    #expect(observer.soundClients(of: app) == [SoundClient(pid: program.pid, server: "unix:\(path)/native")])
    #expect(observation.audioTurns?.server == (sound == .none ? "PulseAudio" : nil))
    let isSeen = sound == .running || sound == .recording
    #expect(observation.audioDevice == (isSeen ? "PulseAudio" : nil))
    #expect(observation.records == (sound == .recording))
    #expect((observation.sources.first?.reach == .doorbell) == (sound == .measured))
    #expect(sources.hasLines(app) == (sound != .measured))
    observer.end(app)
    releases.letGo()
    server.close()
  }

  @Test func `a line that the engine does not take ends the look`() throws {
    let (own, other) = try UnixSocket.pair()
    let program = try cat(reading: other.raw)
    let observation = try look(at: program) { nil }
    #expect(observation.obstacle == .tooManyLines)
    observer.end(app)
    releases.letGo()
    #expect(!sources.hasLines(app))
    own.close()
  }
}

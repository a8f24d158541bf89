import LullEngine
import LullSystem

// A program is woken by what it waits for: the observer observes, the engine evaluates, and the wake sources
// are armed when the engine says so.
extension SleepFeature {
  /// The longest time that one step of an observation or a watch may hold up the loop, in nanoseconds.
  private static var stepTime: Int64 { 1_000_000 }

  func beginObservation(at program: Program, _ ticket: Ticket) {
    let id = program.id
    guard let registration = engine.registration(of: id) else { return }
    var obstacle: Observation.Obstacle?
    if !registration.sleepsByItself {
      // A program that was told to sleep need not be idle. A program that hands its descriptors over has
      // promised not to read them any more.
      guard program.mayTakeDescriptors, sources.hasLines(id) else {
        var observation = Observation()
        observation.isAsking = isAsking(program, registration)
        return host.queue(.observed(id, ticket, observation))
      }
      do {
        let news = try sources.takeDeclared(of: id)
        guard news.isEmpty else { return host.queue(news) }
      } catch {
        obstacle = observer.obstacle(error)
      }
    }
    sources.beginObservation(at: id)
    observer.begin(observed(program, registration), obstacle)
    continueObservation(at: id)
  }

  private func observed(_ program: Program, _ registration: Registration) -> ObservedProgram {
    ObservedProgram(
      id: program.id, pid: program.pid, pidfd: program.pidfd, hasLeader: program.leaderStatus == nil,
      suspender: program.suspender, sleepsByItself: registration.sleepsByItself,
      hasUDPKeepAlive: registration.settings.udpKeepAlive != nil, command: program.command,
      doorbells: sound.audio.doorbells(of: program.id), sound: sound.audio.straight(of: program.id),
      isAsking: isAsking(program, registration),
      signalledSince: freezer.signalledAt(program.id).map { seenAt - $0 },
      known: sources.known(of: program.id))
  }

  /// True when a process of the program waits for an answer of this daemon. What a command has not read is
  /// found among the sources of its threads; the connection of a program on the library is no source.
  private func isAsking(_ program: Program, _ registration: Registration) -> Bool {
    control.programs.connections(of: program.id).contains {
      $0.isAsking || (!registration.sleepsByItself && $0.hasUnreadAnswer)
    }
  }

  /// What there is no time for follows in the next turn.
  func continueObservation(at id: AppID) {
    guard let ticket = freezer.observes(id) else { return }
    let (limit, used) = (Clock.boottime() + Self.stepTime, Clock.processorTime())
    while freezer.observes(id) == ticket, let outcome = observer.advance(id, until: limit) {
      switch outcome {
      case .unfinished:
        observer.spent(Clock.processorTime() - used, on: id)
        return freezer.putOff(id, ticket)
      case .found(let found): observer.attached(found.map { line(of: $0, in: id) }, of: id)
      case .stale(let key): if let event = sources.forget(key, of: id) { feed(event) }
      case .told(let told): for (line, rest) in told { sources.told(line, of: id, rest: rest) }
      case .dropLost(let last): dropLost(of: id, before: last)
      case .seen:
        observer.spent(Clock.processorTime() - used, on: id)
        return seen(id, ticket)
      }
    }
  }

  /// Nil when the engine takes no more lines.
  private func line(of found: FoundSource, in id: AppID) -> LineID? {
    if let line = found.line, sources.update(found, of: id) { return line }
    let modes = engine.registration(of: id)?.settings.modes ?? []
    let purpose: LinePurpose = modes == .externalAccessory ? .accessory : .voip
    guard case .line(let line) = ask(.lineFound(id, purpose, found.origin, found.description.text)) else {
      return nil
    }
    sources.add(found, as: line, of: id)
    return line
  }

  private func dropLost(of id: AppID, before last: LineID?) {
    let (event, rest) = sources.dropLost(of: id, before: last)
    if let rest { observer.dropLost(of: id, before: rest) }
    if let event { feed(event) }
  }

  /// Hands the observation to the engine, which answers with `.watch` or takes the freeze back.
  private func seen(_ id: AppID, _ ticket: Ticket) {
    let (observation, isSignalTaken) = observer.observation(of: id)
    if isSignalTaken { freezer.signalTaken(id) }
    sound.listen(to: id)
    host.queue(.observed(id, ticket, observation))
  }

  func watch(_ id: AppID, ticket: Ticket, plan: WatchPlan) {
    guard let program = program(id), freezer.beginArming(id, ticket: ticket, plan: plan) else { return }
    sources.beginArming(of: id, plan, tcpKeepAlive: program.command?.tcpKeepAlive)
    continueArming(of: id)
  }

  func continueArming(of id: AppID) {
    guard let ticket = freezer.arms(id) else { return }
    let limit = Clock.boottime() + Self.stepTime
    do {
      while true {
        switch try sources.armNext(of: id) {
        case .goesOn(let lost): host.queue(lost)
        case .ready(let ready): return host.queue(ready)
        case .done:
          kept.lines.prune(id) { sources.hasLine($0, of: id) }
          if let program = program(id) {
            memory.times.slept(id)
            kept.keepLinesInSleep(of: program)
          }
          return host.queue(try freezer.fallAsleep(id, watching: observer.finish(id)))
        }
        guard Clock.boottime() < limit else { return freezer.putOff(id, ticket) }
      }
    } catch {
      host.queue(.freezeRefused(id, ticket, .noDescriptor, .text("\(error)")))
    }
  }
}

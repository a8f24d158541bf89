import LullEngine
import LullSystem
import LullWire

// The life of lull-audio: started by the first session, it ends with the daemon.
extension Daemon {
  func startSound() throws(SystemError) {
    guard sound == nil else { return }
    let link = try SoundLink(openFileLimit: options.openFileLimit)
    try epoll.add(link.descriptor.raw, token: Token(.sound).raw, interest: .readable)
    sound = link
    soundStartedAt = Clock.boottime()
    soundRestartAt = nil
    let sessions = programs.flatMap { $0?.sessions ?? [] }
    guard !sessions.isEmpty else { return }
    for session in sessions { tellOpen(session) }
    awaitSoundNews(for: 2_000_000_000)
  }

  /// It may end while there is nothing to do. Where it died, another one goes on with the same rings, at
  /// once the first time and then after a second, so that one that cannot live does not use the machine up.
  func soundEnded() {
    guard let link = sound else { return }
    try? epoll.remove(link.descriptor.raw)
    link.descriptor.close()
    _ = try? Socket.poll(link.pidfd.raw, .readable, timeoutMilliseconds: 100)
    unreaped.append(link.pidfd)
    sound = nil
    childrenChanged()
    soundFellSilent()
    guard programs.contains(where: { $0?.sessions.isEmpty == false }) else { return }
    journal.note(at: Clock.realtime(), program: nil, what: "sound-restarted")
    awaitSoundNews(for: 4_000_000_000)
    let livedLong = Clock.boottime() - soundStartedAt > 1_000_000_000
    soundRestartAt = Clock.boottime() + (livedLong ? 0 : 1_000_000_000)
    restartSoundIfDue()
  }

  /// What was heard has the hangover, in which the next one can tell anew what it hears.
  private func soundFellSilent() {
    let hangover = clock.interval(Int64(engine.policy.audibility.hangoverSeconds) * 1_000_000_000)
    for case let program? in programs {
      for scope in engine.program(program.id, at: now)?.heard ?? [] {
        feed(.heard(program.id, scope, .quiet(hangover)))
      }
    }
  }

  /// What does not play by then has ended meanwhile.
  private func awaitSoundNews(for nanoseconds: Int64) {
    for case let program? in programs {
      for session in program.sessions where session.hasBegun { session.awaitsNews = true }
    }
    soundNewsBy = Clock.boottime() + nanoseconds
  }

  func restartSoundIfDue() {
    guard let due = soundRestartAt, due <= Clock.boottime() else { return }
    do {
      try startSound()
    } catch {
      soundRestartAt = Clock.boottime() + 5_000_000_000
    }
  }

  /// What played before the restart and does not play after it has ended meanwhile.
  func missSoundNews() {
    guard let due = soundNewsBy, due <= Clock.boottime() else { return }
    soundNewsBy = nil
    for case let program? in programs {
      for session in program.sessions where session.awaitsNews { ended(session, of: program) }
    }
  }

  func tellOpen(_ session: Session) {
    guard let sound else { return }
    session.place = nil
    sound.tell(Message(SoundVerb.ring), session.ring)
    sound.tell(Message(SoundVerb.bell), session.bell)
    guard let app = session.program?.id else { return }
    sound.tell(session.opening(app, silence: engine.registration(of: app)?.silence))
    watchSound()
  }

  func tellSound(_ message: Message) {
    sound?.tell(message)
    watchSound()
  }

  func watchSound() {
    guard let sound else { return }
    guard !sound.isStuck else {
      // Its end is noticed by the socket.
      _ = try? Process.sendSignal(sound.pidfd.raw, Signal.kill)
      return sound.giveUp()
    }
    let interest: Interest = sound.hasOutput ? [.readable, .writable] : .readable
    try? epoll.modify(sound.descriptor.raw, token: Token(.sound).raw, interest: interest)
  }
}

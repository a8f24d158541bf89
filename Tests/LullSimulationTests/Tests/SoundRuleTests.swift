import LullEngine
import TestSupport
import Testing

/// Every rule of sound is shown a trace that keeps it and one that breaks it.
@Suite(.bounded) struct SoundRuleTests {
  let app = Stage.app
  let other = Stage.other
  let session = SessionID(1)
  let second = SessionID(2)

  @Test func `sound-keeps-awake: a freeze of what is heard, and one that is not taken back`() {
    let stage = Stage(SoundKeepsAwake())
    let woke = stage.player()
    stage.step(.done(app, woke))
    #expect(stage.step(.audibility(app, .live, .sounding)) == nil)
    #expect(stage.step(.tick, [.freeze(app, stage.newTicket())]) == "sound-keeps-awake")
    let sudden = Stage(SoundKeepsAwake())
    sudden.step(.done(app, sudden.player()), [.freeze(app, sudden.newTicket())])
    let seen = { (step: inout Step) in step.snapshots = [Snapshot(id: self.app)] }
    #expect(sudden.step(.sound(app, session, .began), [.thaw(app)], seen: seen) == nil)
    #expect(sudden.step(.tick, [.freeze(app, sudden.newTicket())], after: .seconds(12)) == nil)
    #expect(sudden.step(.audibility(app, .live, .sounding), seen: seen) == "sound-keeps-awake")
  }

  @Test func `sound-keeps-awake: recording and calls`() {
    for (modes, category) in [(Modes.audio, AudioCategory.record), ([.voip, .audio], .playAndRecord)] {
      let stage = Stage(SoundKeepsAwake())
      var declared = SessionTraits(category: category)
      if category == .record { declared.direction = .capture }
      stage.player(modes: modes, declaring: declared)
      stage.step(.sound(app, session, .began))
      if category == .playAndRecord { stage.step(.audibility(app, .live, .sounding)) }
      let freeze = [Effect.freeze(app, stage.newTicket())]
      #expect(stage.step(.tick, freeze, after: .seconds(3600)) == "sound-keeps-awake")
    }
  }

  @Test func `recordings-told: nobody told, asked again, and one that is denied`() {
    let stage = Stage(RecordingsTold())
    var declared = SessionTraits(category: .record)
    declared.direction = .capture
    stage.player(declaring: declared)
    let records = { (step: inout Step) in
      step.snapshots = [Snapshot(id: self.app, leases: [Snapshot.Hold(kind: .recording)])]
    }
    var notice = LocalNotification(body: "records", action: "Deny")
    notice.otherAction = "Allow"
    let ask = [Effect.show(Stage.notification, program: "player 0", notice)]
    #expect(stage.step(.sound(app, session, .began), ask, seen: records) == nil)
    #expect(stage.step(.tick, ask) == "recordings-told")
    let entry = RecordingEntry("player 0", .denied)
    let deny = { stage.step(.permitRecording(entry), .done, effects: [.recordPermission(entry)], seen: $0) }
    #expect(deny { _ in } == nil)
    #expect(deny(records) == "recordings-told")
    let silent = Stage(RecordingsTold())
    silent.player(declaring: declared)
    #expect(silent.step(.sound(app, session, .began), seen: records) == "recordings-told")
  }

  @Test func `silence-sleeps: a lease after the hangover, and one grace after the other`() {
    let stage = Stage(SilenceSleeps())
    stage.player()
    let shown = { (step: inout Step) in
      step.snapshots = [Snapshot(id: self.app, leases: [Snapshot.Hold(kind: .audible)])]
    }
    #expect(stage.step(.sound(app, session, .began), seen: shown) == nil)
    #expect(stage.step(.audibility(app, .live, .sounding), after: .seconds(4), seen: shown) == nil)
    stage.step(.sound(app, session, .ended))
    #expect(stage.step(.tick, after: .seconds(100), seen: shown) == nil)
    stage.step(.audibility(app, .live, .quiet(.seconds(8))), after: .seconds(10))
    #expect(stage.step(.tick, after: .seconds(7), seen: shown) == nil)
    #expect(stage.step(.tick, after: .seconds(1), seen: shown) == "silence-sleeps")
    let often = Stage(SilenceSleeps())
    often.player()
    #expect(often.step(.sound(app, session, .began), seen: shown) == nil)
    #expect(often.step(.tick, after: .seconds(11), seen: shown) == nil)
    #expect(often.step(.tick, after: .seconds(49), seen: shown) == nil)
    #expect(often.step(.tick, after: .seconds(60), seen: shown) == "silence-sleeps")
    let suspended = Stage(SilenceSleeps())
    suspended.player()
    suspended.step(.sound(app, session, .began))
    suspended.step(.stoodStill(.seconds(60)), after: .seconds(60))
    #expect(suspended.step(.tick, after: .seconds(11), seen: shown) == nil)
    #expect(suspended.step(.tick, after: .seconds(12), seen: shown) == nil)
    let stopped = Stage(SilenceSleeps())
    stopped.player()
    stopped.step(.sound(app, session, .began))
    #expect(stopped.step(.sound(app, session, .ended), seen: shown) == "silence-sleeps")
  }

  @Test func `weights-fit: the share of a program that plays, and of one that does not`() {
    var policy = Stage.prompt
    policy.processes = ProcessPolicy()
    let stage = Stage(WeightsFit(), policy: policy)
    stage.player()
    let seen = { (step: inout Step) in step.snapshots = [Snapshot(id: self.app)] }
    #expect(stage.step(.tick, seen: seen) == "weights-fit")
    #expect(stage.step(.tick, [.weigh(app, .low)], seen: seen) == nil)
    #expect(stage.step(.tick, [.weigh(app, .low)]) == "weights-fit")
    #expect(stage.step(.sound(app, session, .began), seen: seen) == "weights-fit")
    #expect(stage.step(.tick, [.weigh(app, .full)], after: .seconds(100), seen: seen) == nil)
  }

  @Test func `silence-sleeps: sound that may not be heard`() {
    let stage = Stage(SilenceSleeps())
    stage.player(modes: .voip)
    stage.step(.audibility(app, .live, .sounding))
    let broken = stage.step(.tick) {
      $0.snapshots = [Snapshot(id: app, leases: [Snapshot.Hold(kind: .audible)])]
    }
    #expect(broken == "silence-sleeps")
  }

  @Test func `deep-refilled: a low buffer and no wake, and a wake for what is silent`() {
    var policy = Policy()
    policy.silentRefills = .seconds(600)
    let stage = Stage(DeepRefilled(), policy: policy)
    stage.deepSleeper()
    #expect(stage.step(.sound(app, session, .low), stage.wake(app, .refill, line: nil)) == nil)
    let late = Stage(DeepRefilled())
    late.deepSleeper()
    #expect(late.step(.sound(app, session, .low)) == "deep-refilled")
    let owed = Stage(DeepRefilled())
    owed.deepSleeper()
    owed.step(.audibility(app, .all, .quiet(.zero)))
    owed.step(.sound(app, session, .low), owed.wake(app, .refill, line: nil))
    let freeze = owed.newTicket()
    owed.step(.tick, [.freeze(app, freeze)], after: .seconds(2))
    owed.sleeps(freeze)
    #expect(owed.step(.sound(app, session, .low)) == nil)
    #expect(owed.step(.tick, after: .seconds(18)) == "deep-refilled")
    let silent = Stage(DeepRefilled())
    silent.deepSleeper()
    silent.step(.audibility(app, .all, .quiet(.zero)))
    silent.step(.tick, after: .seconds(600))
    #expect(silent.step(.sound(app, session, .low)) == nil)
    #expect(silent.step(.sound(app, session, .low), silent.wake(app, .refill, line: nil)) == "deep-refilled")
  }

  @Test func `deep-refilled: a low buffer that nobody filled before the sleep`() {
    let stage = Stage(DeepRefilled())
    var declared = SessionTraits(category: .playback)
    declared.isDeep = true
    let woke = stage.player(declaring: declared)
    let freeze = stage.newTicket()
    stage.step(.audibility(app, .all, .sounding))
    stage.step(.sound(app, session, .low))
    stage.step(.done(app, woke), [.freeze(app, freeze)])
    #expect(stage.sleeps(freeze) == "deep-refilled")
  }

  @Test func `one-voice: music that goes on beside other music, and an order that is repeated`() {
    let stage = Stage(OneVoice())
    stage.player()
    stage.player(other, second)
    stage.step(.sound(app, session, .began))
    let told: [Effect] = [.note(app, .interrupted(session, .began)), .order(app, session, .hold)]
    #expect(stage.step(.sound(other, second, .began), told) == nil)
    #expect(stage.step(.tick, [.order(app, session, .hold)]) == "one-voice")
    let both = Stage(OneVoice())
    both.player()
    both.player(other, second)
    both.step(.sound(app, session, .began))
    #expect(both.step(.sound(other, second, .began)) == "one-voice")
  }

  @Test func `one-voice: a call beside music, and music that resumes without being asked`() {
    let stage = Stage(OneVoice())
    stage.player()
    stage.player(other, second, modes: [.voip, .audio], declaring: SessionTraits(category: .playAndRecord))
    stage.step(.sound(app, session, .began))
    #expect(stage.step(.sound(other, second, .began), [.order(app, session, .duck)]) == "one-voice")
    let music = Stage(OneVoice())
    music.player()
    music.player(other, second)
    music.step(.sound(app, session, .began))
    let told: [Effect] = [.note(app, .interrupted(session, .began)), .order(app, session, .hold)]
    music.step(.sound(other, second, .began), told)
    let resumes: [Effect] = [
      .note(app, .interrupted(session, .ended(shouldResume: true))), .order(app, session, .play),
    ]
    #expect(music.step(.sound(other, second, .ended), resumes) == "one-voice")
  }

  @Test func `interruptions-once: what is not told, told twice or told too late`() {
    let note = Effect.note(app, .interrupted(session, .began))
    let told = Effect.interruption(app, session, .began)
    let shown = { (step: inout Step) in step.snapshots = [Snapshot(id: self.app)] }
    let stage = Stage(InterruptionsOnce())
    stage.player()
    #expect(stage.step(.tick, [note, told], seen: shown) == nil)
    #expect(stage.step(.tick, [told]) == "interruptions-once")
    let silent = Stage(InterruptionsOnce())
    silent.player()
    #expect(silent.step(.tick, [note], seen: shown) == "interruptions-once")
    let late = Stage(InterruptionsOnce())
    late.deepSleeper()
    #expect(late.step(.tick, [note], seen: shown) == nil)
    let wake = late.wake(app, .operator, line: nil)
    #expect(late.step(.tick, wake + [told]) == "interruptions-once")
    let twice = Stage(InterruptionsOnce())
    twice.player()
    twice.step(.tick, [note, told])
    #expect(twice.step(.tick, [note, told]) == "interruptions-once")
  }

  @Test func `unmanaged-run: an unmanaged client that is frozen, and one that stays when it left`() {
    var unmanaged = Registration(name: "unmanaged")
    (unmanaged.speaks, unmanaged.isUnmanaged) = (false, true)
    let stage = Stage(UnmanagedRun())
    stage.step(.register(unmanaged), .registered(app, .active))
    #expect(stage.step(.tick, [.freeze(app, stage.newTicket())]) == "unmanaged-run")
    let leaver = Stage(UnmanagedRun())
    leaver.step(.register(unmanaged), .registered(app, .active))
    #expect(leaver.step(.leave(app), [.forget(app)]) == nil)
    let stayer = Stage(UnmanagedRun())
    stayer.step(.register(unmanaged), .registered(app, .active))
    #expect(stayer.step(.leave(app)) == "unmanaged-run")
  }
}

extension Stage {
  /// A program in the background with a session.
  @discardableResult
  fileprivate func player(
    _ app: AppID = Stage.app, _ session: SessionID = SessionID(1), modes: Modes = .audio,
    declaring declared: SessionTraits = SessionTraits(category: .playback)
  ) -> Ticket {
    var registration = Registration(name: "player \(app.slot)", modes: modes)
    registration.resumes = .background
    let ticket = newTicket()
    step(
      .register(registration),
      .registered(app, .background),
      effects: [
        .note(app, .state(.background)),
        .woke(app, Wake(reason: .unfrozen, line: nil, moment: now), ticket),
      ])
    let hold: [Effect] =
      modes.contains(.audio) ? [] : [.order(app, session, .hold)]
    step(.openSession(app, declared), .session(session), effects: hold)
    return ticket
  }

  /// A program that is asleep with a deep session.
  fileprivate func deepSleeper() {
    var declared = SessionTraits(category: .playback)
    declared.isDeep = true
    let woke = player(declaring: declared)
    step(.audibility(Self.app, .all, .sounding))
    let freeze = newTicket()
    step(.done(Self.app, woke), [.freeze(Self.app, freeze)])
    sleeps(freeze)
  }
}

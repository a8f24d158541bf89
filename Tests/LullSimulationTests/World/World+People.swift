import LullEngine

extension World {
  /// Everybody comes into the world within the first seconds.
  func populate() {
    for number in 0..<scenario.programs {
      if chance.happens(scenario.installed) { plan(.install(number), after: chance.upTo(.seconds(1))) }
      plan(.launch(number), after: chance.upTo(.seconds(20)))
    }
    plan(.command, after: chance.around(scenario.operatorPace))
    plan(.clock, after: .zero)
    if let pace = scenario.suspendPace { plan(.suspend, after: chance.around(pace)) }
    plan(.surroundings, after: chance.around(scenario.clockPace))
    if scenario.purgeable > 0 { plan(.pressure, after: chance.around(scenario.pressurePace)) }
    if scenario.players > 0 { plan(.device, after: chance.around(scenario.devicePace)) }
    if scenario.tickEarly > 0 { plan(.spuriousTick, after: .seconds(1)) }
  }

  func launch(_ number: Int) throws(Violation) {
    guard !isDraining, !runs(number) else { return }
    let program = FakeProgram(
      number: number, life: newLife(), registration: randomRegistration(number),
      temper: Temper.random(scenario, &chance))
    while programs.count <= number { programs.append(program) }
    programs[number] = program
    rearrange(program)
    plan(.peer(program), after: chance.around(scenario.peerPace))
    plan(.deed(program, .act), after: chance.around(.seconds(10)))
    try ask(.register(program.registration), .register, by: program)
    adopt(program, within: .seconds(30))
    guard program.registration.isAdopted, let app = program.app else { return }
    plan(.deed(program, .say(.letGo(app))), after: chance.around(.seconds(900)))
  }

  /// A command may turn out to use the library.
  func adopt(_ program: FakeProgram, within longest: Interval) {
    guard !program.registration.speaks, let app = program.app, chance.happens(250) else { return }
    let library = randomLibrary(program.number)
    plan(
      .deed(program, .ask(.adopt(app, library), .adopt(library))), after: chance.upTo(longest))
  }

  func randomChange() -> Surrounding {
    switch chance.below(9) {
    case 0: .network
    case 1: .zone(chance.pick(["Europe/Berlin", "UTC"]))
    case 2: .power(Power(chance.pick(PowerSource.allCases), percent: 10 * chance.below(11)))
    case 3: .accessory
    case 4: engine.programs.isEmpty ? .accessory : .settings(chance.pick(engine.programs))
    case 6: .online(chance.happens(600))
    case 5: .sleep(chance.happens(500))
    default: .lock(chance.happens(500))
    }
  }

  func randomAccessory() -> Accessory {
    Accessory(chance.pick(AccessorySubsystem.allCases), vendor: chance.pick([nil, 1, 2]))
  }

  private func randomRegistration(_ number: Int) -> Registration {
    var registration = randomLibrary(number)
    if chance.happens(scenario.unmanaged) {
      registration = Registration(name: registration.name)
      (registration.speaks, registration.isUnmanaged) = (false, true)
    } else if chance.happens(scenario.commands) {
      makeCommand(&registration, number)
    }
    if chance.happens(300) { registration.settings.accessories = [randomAccessory()] }
    registration.settings.isPurgeable = chance.happens(scenario.purgeable)
    registration.settings.keepsLines = chance.happens(scenario.purgeable)
    if chance.happens(300) { registration.settings.memorySignal = 10 }
    if chance.happens(200) { registration.settings.processorPercent = 20 }
    return registration
  }

  private func makeCommand(_ registration: inout Registration, _ number: Int) {
    registration.speaks = false
    let modes: [Modes] = [.voip, .voip, .externalAccessory, [.voip, .externalAccessory], []]
    registration.settings.modes = chance.pick(modes)
    if chance.happens(scenario.players) { registration.settings.modes.insert(.audio) }
    let isBehind = registration.sleepsByItself == !chance.happens(50)
    registration.launch = isBehind ? .background : .foreground
    registration.isFreezeExempt = chance.happens(exempt.contains(number) ? 500 : 50)
    registration.isAdopted = chance.happens(150)
    if chance.happens(100) { registration.resumes = chance.pick(ApplicationState.allCases) }
    let rules: [TimerRule] = [.automatic, .automatic, .never, .floor(.seconds(20)), .floor(.seconds(1))]
    registration.settings.timers = chance.pick(rules)
    if chance.happens(300) { registration.settings.linger = .milliseconds(1000 + Int64(chance.below(9000))) }
    if chance.happens(200) {
      registration.settings.udpKeepAlive = chance.pick([.seconds(25), .seconds(120), .seconds(900)])
    }
    if registration.settings.modes != [], chance.happens(200) {
      registration.settings.modes.insert(.fetch)
      registration.settings.fetch = scenario.policy.fetchMinimum
    }
    guard registration.settings.modes.contains(.voip), chance.happens(400) else { return }
    let minimum = scenario.policy.keepAliveMinimum
    registration.settings.keepAlive = chance.pick([minimum, minimum.scaled(by: 3, over: 2)])
    guard registration.resumes != nil, chance.happens(700) else { return }
    // The clock may have been set before the restart.
    if chance.happens(500) { registration.keepAliveLastRun = now - chance.upTo(minimum) + .seconds(30) }
    registration.keepAliveSince = now - chance.upTo(minimum) + .seconds(30)
  }

  private func randomLibrary(_ number: Int) -> Registration {
    // Now and then two programs want the same name.
    let name = chance.happens(20) ? "twin" : "program \(number)"
    var registration = Registration(name: name, modes: chance.happens(850) ? .voip : [])
    let others: [Modes] = [.externalAccessory, .location, .bluetoothCentral, .bluetoothPeripheral]
    if chance.happens(300) { registration.settings.modes.insert(chance.pick(others)) }
    if chance.happens(300) { registration.settings.modes.formUnion([.fetch, .remoteNotification]) }
    if chance.happens(scenario.players) { registration.settings.modes.insert(.audio) }
    registration.launch = chance.happens(300) ? .background : .foreground
    registration.settings.exitsOnSuspend = chance.happens(80)
    registration.profile = chance.happens(500) ? .ios4 : .ios7
    if chance.happens(150) { registration.settings.batchWakes = chance.upTo(.seconds(120)) }
    return registration
  }

  func operate() throws(Violation) {
    if scenario.tickEarly > 0, chance.happens(scenario.tickEarly) { try feed(.tick) }
    if chance.happens(250), !shown.isEmpty || chance.happens(100) {
      let id = shown.isEmpty ? NotificationID(UInt32(chance.below(50))) : chance.pick(shown)
      let action = chance.pick(["default", "dismiss", "Answer", "Fly", "Allow", "Deny"])
      return try answer(id, action)
    }
    if !installed.isEmpty, chance.happens(200) { return try operateInstalled() }
    guard let app = anyApp() else { return }
    if chance.happens(scenario.purgeable / 5) { return try ask(.purge(ringing() ?? app)) }
    if chance.happens(100) { return try ask(.open(app, chance.pick(["sip:bob", "tel:1"]))) }
    if chance.happens(100) { return try ask(.push(app, RemoteNotification(payload: [1]))) }
    if chance.happens(50), let name = engine.registration(of: app)?.name {
      return try ask(.permitRecording(RecordingEntry(name, chance.pick(RecordingPermission.allCases))))
    }
    if chance.happens(50) { return try ask(.announce("news", program: name(chance.below(4)))) }
    let commands: [Transition] = [.wake, .suspend, .foreground, .background, .quit, .kill]
    let command = commands[chance.weighted([8, 10, 4, 16, 1, 1], total: 40)]
    try ask(.transition(app, command))
  }

  /// Now and then a program whose call rings and that may be purged otherwise, if there is one.
  private func ringing() -> AppID? {
    guard chance.happens(800) else { return nil }
    let calls = engine.allNotifications.filter { $0.fires == nil && $0.content.isCall }
    let callers = calls.compactMap { engine.find(name: $0.program) }.filter(engine.mayBePurged)
    return callers.isEmpty ? nil : chance.pick(callers)
  }

  /// The program of a notification may have ended: somebody starts it anew for the answer.
  private func answer(_ id: NotificationID, _ action: String) throws(Violation) {
    var hasEnded = false
    try feed(.request(.answer(id, action: action))) { answer in
      if case .refused(.programEnded) = answer { hasEnded = true }
    }
    if hasEnded { try ask(.answerAtLaunch(id, action: action)) }
  }

  /// A program, mostly one that is there; now and then one that is not, or not any more.
  private func anyApp() -> AppID? {
    guard !managed.isEmpty else { return nil }
    let slot = chance.below(managed.count)
    if chance.happens(30) { return AppID(slot: UInt32(slot), generation: UInt32(chance.below(4))) }
    return managed[slot]?.app
  }
}

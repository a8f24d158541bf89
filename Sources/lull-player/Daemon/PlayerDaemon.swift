import Lull
import LullPlayer
import LullSystem
import LullWire
import RemoteControl

/// The background player: its queue, its control socket, MPRIS and its state file, in one loop. It sleeps
/// whenever it has nothing to do, also while its music plays.
final class PlayerDaemon: ApplicationDelegate {
  private let signals: SleepSignals
  private let player: QueuePlayer
  private let keeper: StateKeeper
  private let application: Application
  private var server: PlayerServer?
  private var remote: RemoteControl?
  private let covers = Covers.standard()
  /// The reason why there is no MPRIS; nil when there is.
  private var withoutMpris: String?
  private var changes: [QueuePlayer.Change] = []

  /// Registers with Lull's daemon and listens. The caller holds the lock of the player.
  init(
    buffer: AudioSession.Buffer, lowWater: Double, socket: String, signals: SleepSignals
  ) throws(Failure) {
    self.signals = signals
    do {
      application = try Application(
        name: "lull-player", modes: [.audio, .externalAccessory], launch: .background)
      let application = application
      player = QueuePlayer(application, buffer: buffer, lowWaterSeconds: lowWater)
      try signals.watch(in: application) { application.stop() }
    } catch {
      throw .failed("\(error)")
    }
    keeper = StateKeeper(player)
    startRemote()
    try listen(socket)
    player.observer = { [weak self] in self?.changed($0) }
    player.onEventHandled = { [weak self] in self?.rest() }
    application.delegate = self
  }

  func run() {
    ProcessMemory.givesBackLargeBlocks()
    rest()
    application.run()
    keeper.save()
    player.end()
    server?.close()
    application.leave()
    if let reason = application.killReason { Log.write("ended by Lull: \(reason.rawValue)") }
  }

  func applicationDidWake(_ application: Application, reason: WakeReason) {
    act {
      player.pump()
      // The place is saved at each refill: a kill loses no more than what the buffer holds.
      if reason == .refill { keeper.noteRefill() }
    }
  }

  func applicationWillTerminate(_ application: Application) {
    keeper.save()
  }

  func application(_ application: Application, didLose line: Line, error: LullError) {
    Log.write("a connection does not wake the player any more: \(error)")
  }

  private func act(_ work: () -> Void) {
    signals.collect()
    work()
    rest()
  }

  private func changed(_ change: QueuePlayer.Change) {
    signals.collect()
    if !changes.contains(change) { changes.append(change) }
    keeper.note(change)
    if change == .note, let note = player.note { Log.write(note) }
  }

  private func rest() {
    let changes = changes
    self.changes = []
    if !changes.isEmpty {
      server?.announce()
      refreshRemote()
      if changes.contains(.position) { remote?.positionJumped() }
    }
    keeper.settle()
    application.finishedHandlingWake()
    if application.applicationState == .background, !application.isEmbedded { signals.release() }
  }

  private func listen(_ path: String) throws(Failure) {
    let controller = Controller(player: player, covers: covers) { [weak self] in
      PlayerTroubles(withoutMpris: self?.withoutMpris, unsaved: self?.keeper.trouble)
    }
    server = try PlayerServer(application, controller, path: path) { [weak self] in
      self?.keeper.settle()
    } onRequest: { [weak self] quits in
      if quits { self?.application.stop() } else { self?.act {} }
    }
  }

  private func startRemote() {
    do throws(BusError) {
      let remote = try RemoteControl(application, .player) {
        [player, application] command throws(RemoteRefusal) in
        if command == .quit { return application.stop() }
        do throws(QueuePlayer.Refusal) { try player.obey(command) } catch {
          throw RemoteRefusal(error.reason)
        }
      }
      remote.position = { [player] in player.position }
      remote.willAnswer = { [weak self] in
        self?.keeper.settle()
        self?.refreshRemote()
      }
      remote.onHandled = { [weak self] in self?.act {} }
      remote.onLost = { [weak self] in self?.loseRemote("the session bus is gone") }
      self.remote = remote
      refreshRemote()
    } catch {
      loseRemote("\(error)")
    }
  }

  private func refreshRemote() { remote?.nowPlaying = NowPlaying(player, covers) }

  private func loseRemote(_ reason: String) {
    (withoutMpris, remote) = (reason, nil)
    Log.write("no MPRIS: \(reason)")
  }
}

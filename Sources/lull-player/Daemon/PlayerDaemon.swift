import Lull
import LullSystem
import LullWire

/// The background player: its queue, its control socket, MPRIS and its state file, in one loop. It sleeps whenever it has
/// nothing to do, while its music plays too.
final class PlayerDaemon: ApplicationDelegate {
  struct Settings {
    var buffer: AudioSession.Buffer
    var lowWater: Double
  }

  /// While it plays, the position is remembered once in so many nanoseconds, at a wake that comes anyway: for a restart after
  /// a kill.
  private static let longestUnsaved: Int64 = 120_000_000_000

  private let signals: EndSignals
  private let stateFile: StateFile?
  private let log: Log
  private let player: QueuePlayer
  private let application: Application
  private var server: ControlServer?
  private var mpris: Mpris?
  /// Why there is no MPRIS; nil when there is.
  private var withoutMpris: String?
  private var changes: [QueuePlayer.Change] = []
  private var savedAt = Clock.boottime()
  private var isUnsaved = false

  /// Registers with Lull's daemon and listens. The caller holds the lock of the player.
  init(_ settings: Settings, socket: String, signals: EndSignals, log: Log) throws(Failure) {
    (self.signals, self.log, stateFile) = (signals, log, StateFile.standard())
    do {
      application = try Application(
        name: "lull-player", modes: [.audio, .externalAccessory], launch: .background)
      let application = application
      player = QueuePlayer(lowWaterSeconds: settings.lowWater) { format, handler throws(LullError) in
        try AudioSession(application, category: .playback, format: format, buffer: settings.buffer) {
          _, event in
          handler(event)
        }
      }
      try signals.watch(in: application) { application.stop() }
    } catch {
      throw .failed("\(error)")
    }
    if let state = stateFile?.load() { player.restore(state) }
    startMpris()
    try listen(socket)
    player.observer = { [weak self] in self?.changed($0) }
    player.onEventHandled = { [weak self] in self?.rest() }
    application.delegate = self
  }

  /// Plays until `quit` or a signal.
  func run() {
    rest()
    application.run()
    save()
    player.closeOutput()
    server?.close()
    application.leave()
    if let reason = application.killReason { log.write("ended by Lull: \(reason.rawValue)") }
  }

  func applicationDidWake(_ application: Application, reason: WakeReason) {
    act { player.pump() }
  }

  func applicationWillTerminate(_ application: Application) {
    save()
  }

  func application(_ application: Application, didLose line: Line, error: LullError) {
    log.write("a connection does not wake the player any more: \(error)")
  }
}

// Each turn.
extension PlayerDaemon {
  /// Does something that may change the player, and sleeps again.
  private func act(_ work: () -> Void) {
    signals.collect()
    work()
    rest()
  }

  private func changed(_ change: QueuePlayer.Change) {
    signals.collect()
    if !changes.contains(change) { changes.append(change) }
    if change != .note { isUnsaved = true }
    if change == .note, let note = player.note { log.write(note) }
  }

  /// Tells what changed, remembers it, and lets the program sleep.
  private func rest() {
    let changes = changes
    self.changes = []
    if !changes.isEmpty {
      server?.announce()
      mpris?.announce(changes)
    }
    let isOld = player.status == .playing && Clock.boottime() - savedAt > Self.longestUnsaved
    if isOld || isUnsaved { save() }
    application.finishedHandlingWake()
    if application.applicationState == .background, !application.isEmbedded { signals.release() }
  }

  private func saveChanges() {
    if isUnsaved { save() }
  }

  private func save() {
    (savedAt, isUnsaved) = (Clock.boottime(), false)
    do throws(SystemError) {
      try stateFile?.save(player.savedState)
    } catch {
      log.write("the queue cannot be remembered: \(error)")
    }
  }
}

// The ways in.
extension PlayerDaemon {
  private func listen(_ path: String) throws(Failure) {
    let controller = Controller(player: player) { [weak self] in self?.withoutMpris }
    let server = try ControlServer(application, controller, path: path)
    server.beforeAnswer = { [weak self] in self?.saveChanges() }
    server.onRequest = { [weak self] in self?.act {} }
    server.onQuit = { [weak self] in self?.application.stop() }
    self.server = server
  }

  private func startMpris() {
    do throws(BusError) {
      let mpris = try Mpris(application, player)
      mpris.beforeAnswer = { [weak self] in self?.saveChanges() }
      mpris.onRequest = { [weak self] in self?.act {} }
      mpris.onQuit = { [weak self] in self?.application.stop() }
      mpris.onLost = { [weak self] in self?.loseMpris("the session bus is gone") }
      self.mpris = mpris
    } catch {
      loseMpris("\(error)")
    }
  }

  private func loseMpris(_ reason: String) {
    withoutMpris = reason
    mpris = nil
    log.write("no MPRIS: \(reason)")
  }
}

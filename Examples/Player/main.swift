// Plays the files of its command line one after the other. In the background it sleeps while they are heard.
import Lull
import LullPlayer

final class Jukebox: ApplicationDelegate {
  private var player: QueuePlayer?

  func play(_ paths: some Sequence<String>, in application: Application) throws {
    let player = QueuePlayer(application, buffer: .deep(seconds: 30, lowWater: 5), lowWaterSeconds: 5)
    self.player = player
    player.observer = { [unowned player] change in
      switch change {
      case .currentItem: if let item = player.currentItem { print("now playing:", item.fileName) }
      case .note: if let note = player.note { print(note) }
      case .status: if player.status == .stopped { application.stop() }
      default: break
      }
    }
    player.onEventHandled = { application.finishedHandlingWake() }
    for path in paths { try player.add(QueueEntry(MediaLocation(path: path))) }
    try player.play()
  }

  func showTime(_ application: Application) {
    guard application.applicationState == .active, let player else { return }
    print("\(player.currentItem?.fileName ?? "") \(Int(player.position)) s")
  }

  func applicationDidEnterBackground(_ application: Application) { application.finishedHandlingWake() }

  func applicationDidWake(_ application: Application, reason: WakeReason) {
    player?.pump()
    application.finishedHandlingWake()
  }
}

let jukebox = Jukebox()
let application = try Application(name: "jukebox", modes: [.audio], delegate: jukebox)
try jukebox.play(CommandLine.arguments.dropFirst(), in: application)
application.schedule(after: 1, repeats: true) { jukebox.showTime(application) }
application.run()

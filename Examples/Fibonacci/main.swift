// Calculates on in the background, as long as its finite-length task may take.
import Lull

final class Fibonacci: ApplicationDelegate {
  private var previous: UInt128 = 1
  private var current: UInt128 = 1
  private var position = 1
  private var task: BackgroundTask?

  /// Begun at each return to the foreground: a task that has run out gives no time in the next stay in the
  /// background.
  func applicationDidBecomeActive(_ application: Application) {
    guard task == nil else { return }
    task = try? application.beginBackgroundTask(named: "Fibonacci") { [self] in
      print("the time is up")
      task?.end()
      task = nil
    }
  }

  func applicationDidEnterBackground(_ application: Application) { application.finishedHandlingWake() }

  func calculateNext(_ application: Application) {
    let (sum, isTooMuch) = current.addingReportingOverflow(previous)
    (previous, current, position) = isTooMuch ? (1, 1, 1) : (current, sum, position + 1)
    print("position \(position) = \(current)")
    if application.applicationState == .background {
      print("\(Int(application.backgroundTimeRemaining)) s remain")
    }
  }
}

let fibonacci = Fibonacci()
let application = try Application(name: "fibonacci", profile: .ios7)
application.addObserver(fibonacci)
application.schedule(after: 0.5, repeats: true) { fibonacci.calculateNext(application) }
application.run()

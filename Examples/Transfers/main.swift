// A reader that has its issues fetched while it sleeps, or does not run at all.
import Lull
import LullTransfers

final class Reader: ApplicationDelegate {
  private let session: TransferSession
  private var timer: TimerToken?

  init() throws { session = try TransferSession(identifier: "issues", program: "reader") }

  func application(_ application: Application, didFinishLaunchingWith options: LaunchOptions) {
    let words = CommandLine.arguments
    guard options.reason == .user, words.count == 3 else { return }
    do { try session.add(words[1], to: words[2]) } catch { print(error) }
  }

  func application(_ application: Application, open url: String) {
    showIssues()
    application.finishedHandlingWake()
  }

  func applicationDidBecomeActive(_ application: Application) {
    showIssues()
    timer = application.schedule(after: 0.5, repeats: true) { [self] in showIssues() }
  }

  func applicationWillResignActive(_ application: Application) { timer?.cancel() }

  func applicationDidEnterBackground(_ application: Application) { application.finishedHandlingWake() }

  private func showIssues() {
    do {
      for issue in try session.transfers() {
        guard issue.isOpen else {
          // A finished one has been moved to its destination.
          print(issue.destination, issue.state)
          try session.remove(issue)
          continue
        }
        guard let all = issue.expectedBytes else { continue }
        print(issue.destination, "\(100 * issue.receivedBytes / max(all, 1)) %")
      }
    } catch {
      print(error)
    }
  }
}

let reader = try Reader()
let application = try Application(
  name: "reader", launch: .background, schemes: [TransferSession.scheme], delegate: reader)
application.run()

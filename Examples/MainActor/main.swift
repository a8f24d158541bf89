// A softphone's backend on the main actor. Dispatch's main queue is its loop, and an answer takes its time.
import Dispatch
import Glibc
import Lull

@MainActor final class Softphone: @MainActor ApplicationDelegate {
  private var wakes = 0

  func applicationDidEnterBackground(_ application: Application) { application.finishedHandlingWake() }

  func applicationDidWake(_ application: Application, reason: WakeReason) { wakes += 1 }

  /// The answer to a text line, after some work beside the main actor.
  func answer(to text: String) async -> String {
    let line = await Self.trimmed(text)
    return line == "wakes" ? "\(wakes)\n" : "pong\n"
  }

  @concurrent private static func trimmed(_ text: String) async -> String {
    try? await Task.sleep(for: .milliseconds(10))
    return String(text.prefix { $0 != "\n" })
  }
}

let softphone = Softphone()
let application = try Application(name: "softphone", modes: [.voip], launch: .background, delegate: softphone)
let stream = try VoIPStream(host: "127.0.0.1", port: 10000, application: application) { stream, event in
  switch event {
  case .hasBytesAvailable:
    let text = String(decoding: stream.read(), as: UTF8.self)
    Task {
      stream.write(await softphone.answer(to: text))
      application.finishedHandlingWake()
    }
  case .errorOccurred, .endEncountered: exit(1)
  case .openCompleted, .hasSpaceAvailable: break
  }
}
let loop = DispatchSource.makeReadSource(fileDescriptor: application.fileDescriptor, queue: .main)
loop.setEventHandler { application.dispatch() }
loop.activate()
dispatchMain()

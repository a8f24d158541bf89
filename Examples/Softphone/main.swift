// A softphone's backend in thirty lines: it sleeps, and wakes for its server and for its keep-alive.
import Lull

final class Softphone: ApplicationDelegate {
  func applicationDidEnterBackground(_ application: Application) {
    print("saving; there are 5 s for it")
    application.finishedHandlingWake()
  }

  func applicationDidWake(_ application: Application, reason: WakeReason) {
    print("woken: \(reason)")
  }
}

let delegate = Softphone()
let application = try Application(name: "softphone", modes: [.voip], launch: .background, delegate: delegate)
let stream = try VoIPStream(host: "127.0.0.1", port: 10000, application: application) { stream, event in
  switch event {
  case .hasBytesAvailable:
    let text = String(decoding: stream.read(), as: UTF8.self)
    print("received", text)
    if text == "notify\n" { _ = try? application.present(LocalNotification(body: "New VOIP call")) }
    stream.write("pong\n")
    application.finishedHandlingWake()
  case .errorOccurred(let error):
    print(error)
    application.stop()
  case .endEncountered:
    application.stop()
  case .openCompleted, .hasSpaceAvailable:
    break
  }
}
application.setKeepAliveTimeout(600) {
  stream.write("ping\n")
  application.finishedHandlingWake()
}
application.run()

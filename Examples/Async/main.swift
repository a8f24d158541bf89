// A softphone's backend as a task on the main actor: events are a sequence, and a send waits for its bytes.
import Dispatch
import Glibc
import Lull
import LullAsync

@MainActor final class Softphone: @MainActor ApplicationDelegate {
  private var answers = 0

  func applicationDidEnterBackground(_ application: Application) { application.finishedHandlingWake() }

  func serve(_ stream: AsyncVoIPStream, _ mailbox: Mailbox) async throws {
    for await event in stream.events {
      switch event {
      case .openCompleted: break
      case .bytesReceived(let bytes):
        let line = String(decoding: bytes, as: UTF8.self)
        try await stream.send(line == "wakes\n" ? "\(answers)\n" : "pong\n")
        answers += 1
      case .errorOccurred(let error): print(error)
      case .endEncountered: print("the server has gone")
      }
      mailbox.finishedHandlingWake()
    }
    exit(1)
  }
}

let softphone = Softphone()
let application = try Application(name: "softphone", modes: [.voip], launch: .background, delegate: softphone)
let stream = try AsyncVoIPStream(host: "127.0.0.1", port: 10000, application: application)
let mailbox = application.mailbox
Task { try await softphone.serve(stream, mailbox) }
let loop = DispatchSource.makeReadSource(fileDescriptor: application.fileDescriptor, queue: .main)
loop.setEventHandler { application.dispatch() }
loop.activate()
dispatchMain()

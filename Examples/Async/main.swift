// A softphone's backend as a task on the main actor: events are a sequence, and a send waits for its bytes.
// It counts its answers over all of its lives.
import Dispatch
import Foundation
import Lull
import LullAsync

@MainActor final class Softphone: @MainActor ApplicationDelegate {
  private var answers = 0
  private var file: URL?

  /// A program keeps this in a folder of its own. A sleeper may be killed without a word: each answer counts.
  func count(in folder: String) throws {
    let file = URL(filePath: folder).appending(path: "answers")
    if FileManager.default.fileExists(atPath: file.path) {
      answers = try Int(String(contentsOf: file, encoding: .utf8)) ?? 0
    }
    self.file = file
  }

  func applicationDidEnterBackground(_ application: Application) { application.finishedHandlingWake() }

  func serve(_ stream: AsyncVoIPStream, _ mailbox: Mailbox) async throws {
    for await event in stream.events {
      switch event {
      case .openCompleted: break
      case .bytesReceived(let bytes):
        let line = String(decoding: bytes, as: UTF8.self)
        try await stream.send(line == "wakes\n" ? "\(answers)\n" : "pong\n")
        answers += 1
        if let file { try "\(answers)".write(to: file, atomically: true, encoding: .utf8) }
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
try softphone.count(in: application.stateDirectory)
let stream = try AsyncVoIPStream(host: "127.0.0.1", port: 10000, application: application)
let mailbox = application.mailbox
Task { try await softphone.serve(stream, mailbox) }
let loop = DispatchSource.makeReadSource(fileDescriptor: application.fileDescriptor, queue: .main)
loop.setEventHandler { application.dispatch() }
loop.activate()
dispatchMain()

import ArgumentParser
import LullWire

/// The reason for which lulld has a program started again. A person has no use for these options.
struct LaunchOptions: ParsableArguments {
  @Option(help: .hidden) var reason: String?
  @Option(help: .hidden) var line: String?
  @Option(help: .hidden) var url: String?
  @Option(help: .hidden) var notification: UInt32?
  @Option(help: .hidden) var action: String?

  /// The fields of `run`.
  func launch() throws(Failure) -> Request.Launch {
    guard let reason else { return Request.Launch(.user) }
    guard let word = LaunchReason(rawValue: reason) else {
      let all = LaunchReason.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("--reason \(reason): must be one of \(all)")
    }
    if let url, LinkURL.scheme(of: url) == nil {
      throw .usage("--url \(Printable.text(url)): must be \(LinkURL.expected)")
    }
    let answer = notification.flatMap { id in
      action.map { Request.Launch.Answer(NotificationID(id), action: $0) }
    }
    return Request.Launch(word, line: line, url: url, answer: answer)
  }
}

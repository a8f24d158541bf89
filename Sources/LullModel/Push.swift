/// A push: a message to a program that somebody else hands to Lull, such as a client of a push service
/// (`application:didReceiveRemoteNotification:fetchCompletionHandler:`).
public struct RemoteNotification: Equatable, Sendable {
  /// Its bytes, which only the program understands; at most 4096.
  public var payload: [UInt8]
  /// The text for a person.
  public var title: String?

  /// A push with these parts.
  public init(payload: [UInt8] = [], title: String? = nil) { (self.payload, self.title) = (payload, title) }
}

/// What somebody hands to a program.
public enum Post: Equatable, Sendable {
  case link(String)
  case push(RemoteNotification)
}

extension Launch {
  /// What the program is to be handed.
  public var post: Post? { url.map(Post.link) ?? push.map(Post.push) }

  /// A launch for what somebody hands to a program.
  public init(_ post: Post) {
    switch post {
    case .link(let url): self.init(.url, url: url)
    case .push(let push): self.init(.push, push: push)
    }
  }
}

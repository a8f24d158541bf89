/// Something that can end the wait of a thread: an epoll set, or a descriptor.
public struct WakeSource: Equatable, Sendable {
  /// The way in which the program reads the source.
  public enum Role: Sendable {
    /// An epoll set that a thread waits for; ready when that thread's wait would end.
    case set
    /// A descriptor in such a set. The set's readiness counts, not that of the descriptor: an edge that was
    /// told once is not told again.
    case member
    /// A descriptor that a thread waits for.
    case waited
    /// A descriptor of a process in which a thread naps: the thread may read it when its nap is over.
    case open
  }

  /// The side that can make the source ready.
  public enum Reach: Sendable {
    case outside
    /// The program alone: an eventfd, a pipe or a pair of sockets whose other end is inside, a timer.
    case inside
    /// The one who started the program: its standard streams, unless they are sockets.
    case standard
    /// The supervisor: the doorbell of an audio session. A ring there waits for the wake.
    case doorbell
  }

  /// The kind and state of a connection, or of a socket without one.
  public enum Transport: Equatable, Sendable {
    case tcp(Activity)
    case udp(hasPeer: Bool)
    case other
  }

  /// The last traffic of a TCP connection.
  public struct Activity: Equatable, Sendable {
    /// The time since bytes were sent last.
    public var sinceSent: Interval
    /// The time since bytes came last.
    public var sinceReceived: Interval
    /// False before the connection is made and after it has ended.
    public var isEstablished: Bool
    /// False when nothing was ever sent: `sinceSent` counts from the beginning of the connection then.
    public var hasSent = true

    /// Bytes were sent and came this long ago.
    public init(sinceSent: Interval, sinceReceived: Interval, isEstablished: Bool) {
      self.sinceSent = sinceSent
      self.sinceReceived = sinceReceived
      self.isEstablished = isEstablished
    }
  }

  /// The number of the source as a line; nil for a source that nothing outside can make ready.
  public var line: LineID?
  /// The way in which the program reads the source.
  public var role: Role
  /// The side that can make the source ready.
  public var reach: Reach
  /// The condition holds for which the program waits there.
  public var isReady = false
  /// The set in which the program waits for the source has told that it is ready.
  public var isTold = false
  /// The connection is being made, or takes no bytes.
  public var isFull = false
  /// The other end is closed, and all that came from there has been read.
  public var isAtEnd = false
  /// The number of unread bytes.
  public var unread = 0
  /// A number that stays the same while the unread bytes do.
  public var trace: UInt64 = 0
  /// The kind of the connection, with its traffic.
  public var transport = Transport.other

  /// A source that is not ready.
  public init(line: LineID?, role: Role, reach: Reach) {
    self.line = line
    self.role = role
    self.reach = reach
  }
}

/// Something that can end the wait of a thread: an epoll set, or a descriptor.
public struct WakeSource: Equatable, Sendable {
  /// How the program comes to look at it.
  public enum Role: Sendable {
    /// An epoll set that a thread waits for; it is ready when that thread's wait would end.
    case set
    /// A descriptor in such a set. The set's readiness counts, not its own: what was told once is not told
    /// again.
    case member
    /// A descriptor that a thread waits for.
    case waited
    /// A descriptor of a process in which a thread naps: it may look there when its nap is over.
    case open
  }

  /// Who can make it ready.
  public enum Reach: Sendable {
    /// Something outside the program.
    case outside
    /// The program alone: an eventfd, a pipe or a pair of sockets whose other end is inside, a timer.
    case inside
    /// Whoever started the program: its standard streams, as far as they are no sockets.
    case standard
    /// The supervisor: the doorbell of a session of sound. What comes there waits for the wake.
    case doorbell
  }

  /// What is known of a connection, or of a socket without one.
  public enum Transport: Equatable, Sendable {
    /// A TCP connection.
    case tcp(Activity)
    /// A UDP socket; `hasPeer` when it is connected.
    case udp(hasPeer: Bool)
    /// Anything else.
    case other
  }

  /// When bytes last came and went on a TCP connection.
  public struct Activity: Equatable, Sendable {
    /// The time since bytes were sent last.
    public var sinceSent: Interval
    /// The time since bytes came last.
    public var sinceReceived: Interval
    /// False before the connection is made and after it has ended.
    public var isEstablished: Bool

    /// Bytes were sent and came so long ago.
    public init(sinceSent: Interval, sinceReceived: Interval, isEstablished: Bool) {
      self.sinceSent = sinceSent
      self.sinceReceived = sinceReceived
      self.isEstablished = isEstablished
    }
  }

  /// Its number as a line; nil for what nothing outside can make ready.
  public var line: LineID?
  /// How the program comes to look at it.
  public var role: Role
  /// Who can make it ready.
  public var reach: Reach
  /// What the program waits for there has come true.
  public var isReady = false
  /// The connection is being made, or takes no bytes.
  public var isFull = false
  /// What is unread, in bytes.
  public var unread = 0
  /// Stays the same while what is unread does.
  public var trace: UInt64 = 0
  /// What is known of its traffic.
  public var transport = Transport.other

  /// A source that is not ready.
  public init(line: LineID?, role: Role, reach: Reach) {
    self.line = line
    self.role = role
    self.reach = reach
  }
}

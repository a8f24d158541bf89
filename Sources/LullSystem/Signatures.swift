public struct Descriptor: ~Copyable, Sendable {
  public let raw: Int32
  public init(owning raw: Int32) { self.raw = raw }
  public consuming func take() -> Int32 { fatalError() }
  public func duplicate() throws(SystemError) -> Descriptor { fatalError() }
  public func identity() throws(SystemError) -> FileIdentity { fatalError() }
  public func setNonBlocking() throws(SystemError) { fatalError() }
}
public final class DescriptorBox {
  public let raw: Int32
  public var isOpen: Bool { fatalError() }
  public init(_ descriptor: consuming Descriptor) { raw = descriptor.raw }
  public func close() { fatalError() }
  public func take() -> Descriptor? { fatalError() }
}
public struct FileIdentity: Hashable, Sendable {
  public let device: UInt64
  public let inode: UInt64
  public static func of(_ raw: Int32) throws(SystemError) -> FileIdentity { fatalError() }
}
public enum Clock {
  public static func boottime() -> Int64 { fatalError() }
  public static func realtime() -> Int64 { fatalError() }
}
public struct Interest: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let readable = Interest(rawValue: 0x001)
  public static let priority = Interest(rawValue: 0x002)
  public static let writable = Interest(rawValue: 0x004)
  public static let readHangUp = Interest(rawValue: 0x2000)
  public static let oneShot = Interest(rawValue: 1 << 30)
  public static let edge = Interest(rawValue: 1 << 31)
}
public struct Readiness: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let readable = Readiness(rawValue: 0x001)
  public static let priority = Readiness(rawValue: 0x002)
  public static let writable = Readiness(rawValue: 0x004)
  public static let error = Readiness(rawValue: 0x008)
  public static let hangUp = Readiness(rawValue: 0x010)
  public static let invalid = Readiness(rawValue: 0x020)
  public static let readHangUp = Readiness(rawValue: 0x2000)
}
public struct ReadyList: ~Copyable {
  public init(capacity: Int) { fatalError() }
  public var count: Int { fatalError() }
  public subscript(index: Int) -> (token: UInt64, readiness: Readiness) { fatalError() }
}
public struct Epoll: ~Copyable {
  public init() throws(SystemError) { fatalError() }
  public var raw: Int32 { fatalError() }
  public func add(_ raw: Int32, token: UInt64, interest: Interest) throws(SystemError) { fatalError() }
  public func modify(_ raw: Int32, token: UInt64, interest: Interest) throws(SystemError) { fatalError() }
  public func remove(_ raw: Int32) throws(SystemError) { fatalError() }
  @discardableResult
  public func wait(into list: inout ReadyList, timeoutMilliseconds: Int32) throws(SystemError) -> Int { fatalError() }
}
public struct Timer: ~Copyable {
  public enum Clock: Sendable { case boottimeAlarm, boottime, realtime }
  public enum Expirations: Equatable, Sendable { case fired(UInt64), notYet, clockWasSet }
  public let clock: Clock
  public init(_ clock: Clock) throws(SystemError) { fatalError() }
  public static func bestBoottime() throws(SystemError) -> Timer { fatalError() }
  public var raw: Int32 { fatalError() }
  public func arm(at absoluteNanoseconds: Int64, cancelOnSet: Bool = false) throws(SystemError) { fatalError() }
  public func disarm() throws(SystemError) { fatalError() }
  public func expirations() throws(SystemError) -> Expirations { fatalError() }
}
public struct SignalDescriptor: ~Copyable {
  public init(blocking signals: [Int32]) throws(SystemError) { fatalError() }
  public var raw: Int32 { fatalError() }
  public func next() throws(SystemError) -> (signal: Int32, pid: Int32)? { fatalError() }
}
public struct EventDescriptor: ~Copyable {
  public init() throws(SystemError) { fatalError() }
  public var raw: Int32 { fatalError() }
  public func signal() throws(SystemError) { fatalError() }
  public func drain() throws(SystemError) -> UInt64 { fatalError() }
}
public struct PeerCredentials: Hashable, Sendable {
  public let pid: Int32
  public let uid: UInt32
  public let gid: UInt32
}
public enum SendOutcome: Equatable, Sendable { case sent(Int), wouldBlock, closed }
public enum ReadOutcome: Equatable, Sendable { case bytes(Int), wouldBlock, endOfStream }
public enum ReceiveOutcome { case bytes(Int, descriptor: DescriptorBox?), descriptorLost, wouldBlock, endOfStream }
public struct ReceiveBuffer: ~Copyable {
  public init(capacity: Int) { fatalError() }
  public var count: Int { fatalError() }
  public var received: ArraySlice<UInt8> { fatalError() }
}
public enum UnixSocket {
  public static func listen(path: String, backlog: Int32 = 128) throws(SystemError) -> Descriptor { fatalError() }
  public static func connect(path: String) throws(SystemError) -> Descriptor { fatalError() }
  public static func pair() throws(SystemError) -> (DescriptorBox, DescriptorBox) { fatalError() }
  public static func accept(from raw: Int32) throws(SystemError) -> Descriptor? { fatalError() }
  public static func peer(of raw: Int32) throws(SystemError) -> PeerCredentials { fatalError() }
  public static func peerPidfd(of raw: Int32) throws(SystemError) -> Descriptor { fatalError() }
  public static func send(_ bytes: Span<UInt8>, descriptor: Int32? = nil, to raw: Int32)
    throws(SystemError) -> SendOutcome { fatalError() }
  public static func send(_ bytes: [UInt8], descriptor: Int32? = nil, to raw: Int32)
    throws(SystemError) -> SendOutcome { fatalError() }
  public static func receive(into buffer: inout ReceiveBuffer, from raw: Int32)
    throws(SystemError) -> ReceiveOutcome { fatalError() }
}
public enum ExitStatus: Hashable, Sendable { case exited(Int32), signaled(Int32) }
public struct SpawnRequest: Sendable {
  public enum Group: Sendable { case inherited, newGroup, newSession }
  public struct Passed: Hashable, Sendable {
    public var source: Int32, number: Int32
    public init(_ source: Int32, as number: Int32) { self.source = source; self.number = number }
  }
  public var arguments: [[UInt8]]
  public var environment: [[UInt8]]
  public var directory: Int32? = nil
  public var standardInput: Int32? = nil
  public var standardOutput: Int32? = nil
  public var standardError: Int32? = nil
  public var passed: [Passed] = []
  public var group: Group = .inherited
  public var cgroup: Int32? = nil
  public init(arguments: [[UInt8]], environment: [[UInt8]]) { fatalError() }
  public init(_ arguments: [String]) { fatalError() }
}
public struct Spawned: ~Copyable {
  public let pid: Int32
  public var pidfd: Descriptor
  public var execStatus: Descriptor
}
public enum ExecResult: Equatable, Sendable { case pending, started, failed(SystemError) }
public enum Process {
  public static func pidfdOpen(_ pid: Int32) throws(SystemError) -> Descriptor { fatalError() }
  public static func sendSignal(_ pidfd: Int32, _ signal: Int32) throws(SystemError) { fatalError() }
  public static func getDescriptor(_ pidfd: Int32, number: Int32) throws(SystemError) -> Descriptor { fatalError() }
  public static func waitStatus(_ pidfd: Int32) throws(SystemError) -> ExitStatus? { fatalError() }
  public static func reapAny() throws(SystemError) -> (pid: Int32, status: ExitStatus)? { fatalError() }
  public static func kill(_ pid: Int32, _ signal: Int32) throws(SystemError) { fatalError() }
  public static func kill(group: Int32, _ signal: Int32) throws(SystemError) { fatalError() }
  public static func becomeSubreaper() throws(SystemError) { fatalError() }
  public static func spawn(_ request: SpawnRequest) throws(SystemError) -> Spawned { fatalError() }
  public static func execResult(_ execStatus: Int32) throws(SystemError) -> ExecResult { fatalError() }
  public static func threadCount(of pid: Int32) throws(SystemError) -> Int { fatalError() }
  public static func cgroupPath(of pid: Int32) throws(SystemError) -> String { fatalError() }
  public static func startTime(of pid: Int32) throws(SystemError) -> UInt64 { fatalError() }
  public static func parentPid(of pid: Int32) throws(SystemError) -> Int32 { fatalError() }
  public static func exists(_ pid: Int32) -> Bool { fatalError() }
  public static func executablePath() throws(SystemError) -> String { fatalError() }
  public static func exit(_ status: Int32) -> Never { fatalError() }
}
public enum Signal {
  public static let hangUp: Int32 = 1, interrupt: Int32 = 2, quit: Int32 = 3, kill: Int32 = 9, pipe: Int32 = 13
  public static let terminate: Int32 = 15, child: Int32 = 17, `continue`: Int32 = 18, stop: Int32 = 19
  public static let terminalStop: Int32 = 20, windowChange: Int32 = 28, user1: Int32 = 10, user2: Int32 = 12
  public static func ignore(_ signal: Int32) throws(SystemError) { fatalError() }
  public static func name(of signal: Int32) -> String { fatalError() }
}
public enum CgroupMount {
  public static func find() throws(SystemError) -> String { fatalError() }
  public static func ownPath() throws(SystemError) -> String { fatalError() }
}
public final class Cgroup: Sendable {
  public let path: String
  private init() { fatalError() }
  public static func create(at path: String) throws(SystemError) -> Cgroup { fatalError() }
  public static func open(at path: String) throws(SystemError) -> Cgroup { fatalError() }
  public func freeze() throws(SystemError) { fatalError() }
  public func thaw() throws(SystemError) { fatalError() }
  public func state() throws(SystemError) -> (populated: Bool, frozen: Bool) { fatalError() }
  public var events: Int32 { fatalError() }
  public var directory: Int32 { fatalError() }
  public func move(_ pid: Int32) throws(SystemError) { fatalError() }
  public func processes() throws(SystemError) -> [Int32] { fatalError() }
  public func killAll() throws(SystemError) { fatalError() }
  public func remove() throws(SystemError) { fatalError() }
  public static func children(of path: String) throws(SystemError) -> [String] { fatalError() }
}
public struct LineDescription: Hashable, Sendable {
  public enum Kind: Hashable, Sendable { case tcp, udp, tcpListen, unix, other }
  public let kind: Kind
  public let local: String
  public let peer: String
}
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  public var description: String { fatalError() }
  public var port: UInt16? { fatalError() }
}
public struct ResolveError: Error, Equatable, Sendable, CustomStringConvertible {
  public let code: Int32
  public let host: String
  public var description: String { fatalError() }
}
public struct PollEntry: Sendable {
  public var raw: Int32
  public var interest: Interest
  public internal(set) var readiness: Readiness = []
  public init(_ raw: Int32, _ interest: Interest) { self.raw = raw; self.interest = interest }
}
public enum Socket {
  public static func describe(_ raw: Int32) -> LineDescription { fatalError() }
  public static func unreadBytes(_ raw: Int32) throws(SystemError) -> Int { fatalError() }
  public static func poll(_ raw: Int32, _ interest: Interest, timeoutMilliseconds: Int32)
    throws(SystemError) -> Readiness { fatalError() }
  @discardableResult
  public static func pollMany(_ entries: inout [PollEntry], timeoutMilliseconds: Int32)
    throws(SystemError) -> Int { fatalError() }
  public static func resolve(host: String, port: UInt16) throws(ResolveError) -> [SocketAddress] { fatalError() }
  public static func connectNonBlocking(_ address: SocketAddress) throws(SystemError) -> Descriptor { fatalError() }
  public static func connectError(_ raw: Int32) throws(SystemError) -> SystemError? { fatalError() }
  public static func localAddress(_ raw: Int32) throws(SystemError) -> SocketAddress { fatalError() }
  public static func read(_ raw: Int32, into buffer: inout ReceiveBuffer) throws(SystemError) -> ReadOutcome { fatalError() }
  public static func write(_ raw: Int32, _ bytes: Span<UInt8>) throws(SystemError) -> SendOutcome { fatalError() }
  public static func write(_ raw: Int32, _ bytes: [UInt8]) throws(SystemError) -> SendOutcome { fatalError() }
  public static func peek(_ raw: Int32, into buffer: inout ReceiveBuffer) throws(SystemError) -> ReadOutcome { fatalError() }
  public static func setKeepAlive(_ raw: Int32, idleSeconds: Int32) throws(SystemError) { fatalError() }
  public static func listen(_ address: SocketAddress, backlog: Int32 = 128) throws(SystemError) -> Descriptor { fatalError() }
  public static func bindDatagram(_ address: SocketAddress) throws(SystemError) -> Descriptor { fatalError() }
  public static func accept(from raw: Int32) throws(SystemError) -> Descriptor? { fatalError() }
}
public enum RuntimeDirectoryError: Error, Equatable, CustomStringConvertible {
  case missingParent(path: String)
  case notADirectory(path: String)
  case wrongOwner(path: String, uid: UInt32)
  case writableByOthers(path: String, mode: UInt32)
  case system(path: String, SystemError)
  public var description: String { fatalError() }
}
public enum Files {
  public static func ensureRuntimeDirectory(_ path: String) throws(RuntimeDirectoryError) { fatalError() }
  public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] { fatalError() }
  public static func memoryFile(name: String, _ bytes: [UInt8]) throws(SystemError) -> Descriptor { fatalError() }
  public static func readMemoryFile(_ raw: Int32, limit: Int) throws(SystemError) -> [UInt8] { fatalError() }
  public static func lock(_ path: String) throws(SystemError) -> Descriptor? { fatalError() }
  public static func openDirectory(_ path: String) throws(SystemError) -> Descriptor { fatalError() }
  public static func unlink(_ path: String) throws(SystemError) { fatalError() }
  public static func exists(_ path: String) -> Bool { fatalError() }
  public static func isSocket(_ path: String) -> Bool { fatalError() }
}
public enum Limits {
  @discardableResult
  public static func raiseOpenFiles() throws(SystemError) -> Int { fatalError() }
}
public enum StandardStreams {
  public static let input: Int32 = 0, output: Int32 = 1, error: Int32 = 2
  public static func write(_ bytes: [UInt8], to raw: Int32) throws(SystemError) { fatalError() }
  public static func read(_ raw: Int32, into buffer: inout ReceiveBuffer) throws(SystemError) -> ReadOutcome { fatalError() }
}
public enum Terminal {
  public struct Size: Hashable, Sendable { public let columns: Int, rows: Int }
  public static func isTerminal(_ raw: Int32) -> Bool { fatalError() }
  public static func windowSize(_ raw: Int32) -> Size? { fatalError() }
}
public enum Identity {
  public enum Capability: Int, Sendable { case kill = 5, systemPtrace = 19, systemAdministration = 21, wakeAlarm = 35 }
  public static func uid() -> UInt32 { fatalError() }
  public static func pid() -> Int32 { fatalError() }
  public static func home() -> String? { fatalError() }
  public static func environment(_ name: String) -> String? { fatalError() }
  public static func allEnvironment() -> [[UInt8]] { fatalError() }
  public static func hasCapability(_ capability: Capability) -> Bool { fatalError() }
}

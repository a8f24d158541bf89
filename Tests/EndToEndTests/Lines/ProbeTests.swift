import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// Health checks of a sleeping web server, from an address that it ignores: 127.0.0.2.
@Suite(.bounded) struct ProbeTests {
  private static let prober = "127.0.0.2"
  private static let server = """
    import http.server, sys
    class Page(http.server.BaseHTTPRequestHandler):
      def do_GET(self):
        body = f"page {self.path}\\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
      def log_message(self, *words): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Page)
    print("ready", flush=True)
    server.serve_forever()
    """

  private let stage: Stage
  private let port: UInt16

  init() throws {
    stage = try Stage()
    port = try stage.network.freePort()
  }

  private func begin(_ options: String..., prefix: [String] = []) throws {
    let command = prefix + (try Python.command(Self.server, "\(port)"))
    try stage.runToSleep("web", command, options: ["--ignore-peer", Self.prober] + options)
  }

  /// What is said to one who asks for a path from an address, up to the end.
  private func ask(_ path: String, from source: String, in network: Network? = nil) throws -> String {
    let peer = try connect(from: source, in: network)
    try peer.send("GET \(path) HTTP/1.0\r\n\r\n")
    return try peer.untilEnd()
  }

  private func connect(from source: String, in network: Network? = nil) throws -> Channel {
    let box = try (network ?? stage.network).inside {
      let raw = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      try Kernel.check(raw)
      var (own, other) = (sockaddr_in(), sockaddr_in())
      (own.sin_family, other.sin_family) = (sa_family_t(AF_INET), sa_family_t(AF_INET))
      unsafe inet_pton(AF_INET, source, &own.sin_addr)
      unsafe inet_pton(AF_INET, "127.0.0.1", &other.sin_addr)
      other.sin_port = port.bigEndian
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      try Kernel.check(
        unsafe withUnsafeBytes(of: &own) { bytes in
          unsafe bind(raw, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
        })
      try Kernel.check(
        unsafe withUnsafeBytes(of: &other) { bytes in
          unsafe Glibc.connect(raw, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
        })
      return DescriptorBox(Descriptor(owning: raw))
    }
    return Channel(box, name: "the connection from \(source)")
  }

  private func answered() throws -> String? { try stage.lull.item(.line, of: "web")[.answered] }

  private func wakes() throws -> String { try stage.lull.field(.wakes, of: "web") }

  @Test func `probes are answered for the sleeper, and a client wakes it`() throws {
    try begin("--answer-probe", "\(port)/healthz")
    for _ in 1...20 {
      #expect(try ask("/healthz", from: Self.prober).hasSuffix("Connection: close\r\n\r\nok\n"))
    }
    #expect(try connect(from: Self.prober).untilEnd() == "")
    #expect(try answered() == "21")
    #expect(try wakes() == "0")
    #expect(try ask("/index", from: "127.0.0.1").hasSuffix("page /index\n"))
    try stage.journal.wait("woke", of: "web", cause: "accept")
    try stage.journal.waitForSleep(of: "web")
    #expect(try ask("/healthz", from: Self.prober).hasSuffix("ok\n"))
    #expect(try wakes() == "1")
  }

  @Test func `a question that is not declared is turned away, and wakes the program`() throws {
    try begin("--answer-probe", "/healthz")
    #expect(try ask("/metrics", from: Self.prober).hasPrefix("HTTP/1.1 503 "))
    try stage.journal.wait("woke", of: "web", cause: "accept")
    #expect(try stage.why("web").contains("a peer of --ignore-peer asked for something else"))
  }

  @Test func `those who ask at the same time as a client get what the program says`() throws {
    try begin("--answer-probe", "\(port)/healthz")
    let peers = try [Self.prober, "127.0.0.1", Self.prober].map { try connect(from: $0) }
    for peer in peers { try peer.send("GET /healthz HTTP/1.0\r\n\r\n") }
    for peer in peers { #expect(try peer.untilEnd().contains(" 200 OK\r\n")) }
    try stage.journal.wait("woke", of: "web", cause: "accept")
  }

  @Test func `without a rule they wait, and the program is woken before its queue is full`() throws {
    try begin()
    // The queue of http.server holds five.
    let first = try (1...2).map { _ in try connect(from: Self.prober) }
    // What a connection sends that the program has not accepted wakes nobody either.
    try first[0].send("GET /1 HTTP/1.0\r\n\r\n")
    #expect(try first[0].isQuiet())
    #expect(try wakes() == "0")
    let last = try connect(from: Self.prober)
    try stage.journal.wait("woke", of: "web", cause: "accept")
    try last.send("GET /3 HTTP/1.0\r\n\r\n")
    #expect(try first[0].untilEnd().hasSuffix("page /1\n"))
    #expect(try last.untilEnd().hasSuffix("page /3\n"))
  }

  @Test func `a connection of such a peer neither wakes the program nor keeps it awake`() throws {
    try begin()
    let peers = try [Self.prober, "127.0.0.1"].map { try connect(from: $0) }
    try stage.journal.wait("woke", of: "web", cause: "accept")
    try stage.journal.waitForSleep(of: "web")
    try peers[0].send("GET /quiet HTTP/1.0\r\n\r\n")
    #expect(try peers[0].isQuiet())
    #expect(try wakes() == "1")
    try peers[1].send("GET /loud HTTP/1.0\r\n\r\n")
    try stage.journal.wait("woke", of: "web", cause: "data")
    #expect(try peers[1].untilEnd().hasSuffix("page /loud\n"))
    #expect(try peers[0].untilEnd().hasSuffix("page /quiet\n"))
  }

  @Test func `a server in another network namespace, such as a container's`() throws {
    let other = try Network()
    try begin("--answer-probe", "/healthz", prefix: other.prefix)
    #expect(try ask("/healthz", from: Self.prober, in: other).hasSuffix("ok\n"))
    #expect(try answered() == "1")
    #expect(try ask("/index", from: "127.0.0.1", in: other).hasSuffix("page /index\n"))
    try stage.journal.wait("woke", of: "web", cause: "accept")
    #expect(try wakes() == "1")
  }
}

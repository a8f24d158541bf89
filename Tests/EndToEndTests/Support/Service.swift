import Glibc
import LullSystem
import TestSupport

/// A server that others wrote. It answers each request of a connection with the line `page N`.
enum Service: String, CaseIterable {
  case redis = "redis-server"
  case nginx
  case node
  case asyncio
  /// `socketserver` with a thread for each connection.
  case threads
  case ncat

  var name: String { rawValue }

  /// True for a server that checks several times a second for work, or that has a timer which ends with the
  /// second (node, for the Date of its answers). It sleeps after a quiet second.
  var isTicking: Bool { self == .redis || self == .threads || self == .node }

  /// True for a server that takes SIGTERM and ends in its own way.
  var endsByItself: Bool { self == .redis || self == .nginx }

  /// Starts it under `lull run`.
  func start(_ stage: Stage, port: UInt16) throws -> ConnectedChild {
    try stage.run(name, command(stage, port))
  }

  func request(_ number: Int) -> String {
    switch self {
    case .redis: "ECHO \"page \(number)\"\r\n"
    case .nginx, .node: "GET /\(number) HTTP/1.1\r\nHost: lull\r\n\r\n"
    case .asyncio, .threads, .ncat: "page \(number)\n"
    }
  }

  private func command(_ stage: Stage, _ port: UInt16) throws -> [String] {
    switch self {
    case .redis:
      try Executables.require("redis-server", package: "redis-server")
      let folder = stage.lull.sandbox.directory
      return ["redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    case .nginx: return try Self.nginx(stage, port)
    case .node:
      try Executables.require("node", package: "nodejs")
      return ["node", "-e", Self.pages, "\(port)"]
    case .asyncio: return try Python.command(Self.coroutines, "\(port)")
    case .threads: return try Python.command(Self.threaded, "\(port)")
    case .ncat:
      try Executables.require("ncat", package: "ncat")
      return ["ncat", "-l", "127.0.0.1", "\(port)", "--keep-open", "--exec", "/bin/cat"]
    }
  }

  /// A master and two workers, which serve files.
  private static func nginx(_ stage: Stage, _ port: UInt16) throws -> [String] {
    try Executables.require("nginx", package: "nginx")
    let folder = "\(stage.lull.sandbox.directory)/nginx"
    try Kernel.check(unsafe mkdir(folder, 0o755))
    for number in 1...Self.pageCount { try Kernel.write("page \(number)\n", to: "\(folder)/\(number)") }
    let config = """
      daemon off; user root; worker_processes 2; pid \(folder)/pid; error_log \(folder)/errors;
      events {}
      http { access_log off; server { listen 127.0.0.1:\(port); root \(folder); } }

      """
    try Kernel.write(config, to: "\(folder)/config")
    return ["nginx", "-c", "\(folder)/config", "-e", "\(folder)/errors"]
  }

  /// The number of requests that the server can answer.
  static let pageCount = 20

  private static let pages = """
    const page = (request, response) => response.end(`page ${request.url.slice(1)}\\n`)
    require('http').createServer(page).listen(process.argv[1], '127.0.0.1')
    """

  private static let coroutines = """
    import asyncio, sys
    async def serve(reader, writer):
      while line := await reader.readline():
        writer.write(line)
        await writer.drain()
    async def main():
      server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
      await server.serve_forever()
    asyncio.run(main())
    """

  private static let threaded = """
    import socketserver, sys
    class Handler(socketserver.StreamRequestHandler):
      def handle(self):
        for line in self.rfile:
          self.wfile.write(line)
    socketserver.ThreadingTCPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
    """
}

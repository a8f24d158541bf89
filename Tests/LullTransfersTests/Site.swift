import Glibc
import LullChannel
import LullSystem
import TestSupport
import Testing

@testable import LullTransfers

/// nginx with a folder of its own, and lull-transfers by itself, without lulld.
final class Site {
  let folder: TemporaryDirectory
  let store: TransferStore
  let port = freePort()
  private let server: ConnectedChild
  private(set) var fetcher: ConnectedChild?
  private let environment: [String]

  init(environment more: [String] = []) throws {
    for (program, package) in [("/usr/bin/aria2c", "aria2"), ("/usr/sbin/nginx", "nginx")] {
      try #require(Files.exists(program), "\(program) is missing: install \(package)")
    }
    let folder = try TemporaryDirectory()
    self.folder = folder
    let runtime = "\(folder.path)/run"
    environment =
      [
        "XDG_STATE_HOME=\(folder.path)/state", "LULL_RUNTIME_DIR=\(runtime)",
        "LULL_SYSTEM_ROOT=\(folder.path)/machine",
      ] + (more.isEmpty ? ["DBUS_SYSTEM_BUS_ADDRESS=unix:path=/-"] : more)
    store = TransferStore(
      "\(folder.path)/state/lull/at/\(RuntimeDirectory.number(of: runtime))/transfers")
    try Kernel.check(unsafe mkdir("\(folder.path)/site", 0o755))
    let config = try folder.file(
      "config",
      """
      daemon off; worker_processes 1; pid \(folder.path)/pid; error_log \(folder.path)/errors;
      user root; events {}
      http {
        access_log off;
        server {
          listen 127.0.0.1:\(port); root \(folder.path)/site;
          location /slow/ { alias \(folder.path)/site/; limit_rate 1m; }
          location /gone-on/ { return 416; }
        }
      }

      """)
    server = try ConnectedChild(["/usr/sbin/nginx", "-c", config, "-e", "\(folder.path)/errors"])
    try eventually("nginx does not listen") {
      let socket = try Socket.connectNonBlocking(.loopback(port: port))
      _ = try Socket.poll(socket.raw, .writable, timeoutMilliseconds: 1000)
      return try Socket.connectError(socket.raw) == nil
    }
  }

  deinit {
    for child in [fetcher, server].compactMap(\.self) {
      try? child.signal(Signal.terminate)
      _ = try? child.end()
    }
  }

  /// Starts lull-transfers, also once more.
  func fetch(options: [String] = [], path: String? = nil) throws {
    let more = path.map { ["PATH=\($0)"] } ?? []
    fetcher = try ConnectedChild(
      [Built.program("lull-transfers")] + options, environment: environment + more)
  }

  /// lull-transfers is gone, as after a loss of power, and its aria2 ends by itself.
  func breakDown() throws {
    try fetcher?.signal(Signal.kill)
    _ = try fetcher?.end()
    fetcher = nil
  }

  /// Writes a file of random bytes that the server has.
  @discardableResult
  func page(_ name: String, bytes: Int) throws -> String {
    let path = "\(folder.path)/site/\(name)"
    let make = try ConnectedChild(["sh", "-c", "head -c \(bytes) /dev/urandom >\(path)"])
    try #require(try make.end() == .exited(0))
    return path
  }

  func url(_ name: String, port other: UInt16? = nil) -> String {
    "http://127.0.0.1:\(other ?? port)/\(name)"
  }

  func add(
    _ url: String, to path: String? = nil, session: String = "s", isDiscretionary: Bool = false,
    checksum: String? = nil
  ) throws -> Transfer {
    let name = url.split(separator: "/").last ?? ""
    return try TransferSession(identifier: session, program: nil, store: store).enqueue(
      url, to: path ?? "\(folder.path)/\(name)", isDiscretionary: isDiscretionary, checksum: checksum)
  }

  /// Waits until a transfer is as the condition wants it.
  func wait(
    for transfer: Transfer, at place: SourceLocation = #_sourceLocation, until condition: (Transfer) -> Bool
  ) throws {
    var last: Transfer?
    do {
      try eventually("it came to nothing", at: place) {
        last = store.transfer(transfer.identifier)
        return last.map(condition) ?? false
      }
    } catch {
      Issue.record("\(String(describing: last))", sourceLocation: place)
      throw error
    }
  }

  func isSame(_ one: String, _ other: String) throws -> Bool {
    try ConnectedChild(["cmp", "-s", one, other]).end() == .exited(0)
  }

  /// The process of aria2 that works for lull-transfers.
  func aria() throws -> Int32 {
    var found: Int32?
    try eventually("aria2 does not run") {
      let children = try Process.children(of: try #require(fetcher).pid)
      found = children.first { pid in
        (try? Files.read("/proc/\(pid)/comm", limit: 64)) == Array("aria2c\n".utf8)
      }
      return found != nil
    }
    return try #require(found)
  }
}

enum Kernel {
  static func check(_ result: Int32) throws { try #require(result == 0, "errno \(errno)") }
}

/// A link to a server that breaks after so many bytes, so many times.
final class BreakingLink {
  let port = freePort()
  private let child: ConnectedChild

  private static let script = """
    import select, socket, sys
    port, server, most, breaks = map(int, sys.argv[1:])
    listener = socket.create_server(("127.0.0.1", port))
    print("ready", flush=True)
    total = 0
    while select.select([listener, sys.stdin], [], [])[0][0] is listener:
        client, other, sent = listener.accept()[0], socket.create_connection(("127.0.0.1", server)), 0
        while True:
            source = select.select([client, other], [], [])[0][0]
            try:
                data = source.recv(16384)
                if not data:
                    break
                (other if source is client else client).sendall(data)
            except OSError:
                break
            sent += len(data) if source is other else 0
            if breaks and sent >= most:
                breaks -= 1
                break
        total += sent
        client.close(), other.close()
    print(total, breaks, flush=True)
    """

  init(to server: UInt16, bytes: Int, breaks: Int) throws {
    child = try ConnectedChild(
      ["/usr/bin/python3", "-c", Self.script, "\(port)", "\(server)", "\(bytes)", "\(breaks)"])
    _ = try child.output.line { $0 == "ready" }
  }

  /// The bytes that went to the client, with heads, and the breaks that are left.
  func end() throws -> (bytes: Int, breaks: Int) {
    try child.output.send("end\n")
    let numbers = try child.output.line().split(separator: " ").compactMap { Int($0) }
    _ = try child.end()
    return (numbers[0], numbers[1])
  }
}

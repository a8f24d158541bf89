/// Servers in Python, as people write them. Each says `ready` when it serves.
enum Python {
  /// The variable by which a program finds python3-lull.
  static let library = "PYTHONPATH=\(ProtocolPage.root)/Sources/python3-lull"

  /// The command for a script. `-E`: PYTHONUNBUFFERED of who runs the tests would have every line of `print`
  /// written in two parts, between which another process writes its own.
  static func command(_ script: String, _ arguments: String...) throws -> [String] {
    try Executables.require("python3", package: "python3-minimal")
    return ["python3", "-E", "-c", script] + arguments
  }

  /// Three processes that share a listening socket, a thread for each connection; all of them block in calls.
  static let echo = """
    import os, socket, sys, threading
    host, port = sys.argv[1], int(sys.argv[2])
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family)
    def serve(connection):
      with connection:
        while data := connection.recv(4096):
          connection.sendall(data)
    print("ready", flush=True)
    os.fork() and os.fork()
    while True:
      connection, _ = listener.accept()
      threading.Thread(target=serve, args=(connection,), daemon=True).start()
    """

  /// Sends half of a file of 1,000 bytes, and the rest when something has come in the FIFO that it makes.
  static let halfway = """
    import http.server, os, sys
    os.mkfifo(sys.argv[2])
    class Halfway(http.server.BaseHTTPRequestHandler):
      def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.send_header("ETag", '"one"')
        self.end_headers()
      def do_GET(self):
        self.do_HEAD()
        self.wfile.write(b"x" * 500)
        open(sys.argv[2]).read()
        self.wfile.write(b"x" * 500)
      def log_message(self, *words): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Halfway)
    print("ready", flush=True)
    server.serve_forever()
    """

  /// Echoes datagrams of every port that is named; with `selectors`, which is epoll.
  static let datagrams = """
    import selectors, socket, sys
    selector = selectors.DefaultSelector()
    for port in sys.argv[1:]:
      one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      one.bind(("127.0.0.1", int(port)))
      selector.register(one, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
      for key, _ in selector.select():
        data, peer = key.fileobj.recvfrom(2000)
        key.fileobj.sendto(data, peer)
    """

  /// A server that checks five times a second whether it is to end, as socketserver does.
  static let ticking = """
    import selectors, socket, sys
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
      if selector.select(0.2):
        connection, _ = listener.accept()
        with connection:
          connection.sendall(b"hello\\n")
    """
}

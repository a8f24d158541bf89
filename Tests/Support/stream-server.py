"""A server of sound for tests: files with Range, radios with ICY titles, playlists, and lost connections.

stream-server.py FOLDER: prints its port, and serves until its standard input ends.

/file/NAME            with Range; ?cut=N breaks the first answer off after N bytes; ?range=no ignores Range
/radio/NAME           without an end, as an Icecast server sends it: a burst, then in real time
                      ?burst=BYTES ?rate=BYTES per second ?metaint=N ?cut=N (each answer) ?type=TYPE
                      ?stall=N: after N bytes it is silent for ?pause=SECONDS, for ever without that
/list.m3u?NAME /list.pls?NAME     a playlist that names /file/NAME
/moved/REST           a redirection to /REST
/silent               says nothing
/head                 an answer whose head has no end
/chunks               a chunk whose extension has no end
/moving               a redirection whose body has no end
/titles               a title of 4080 bytes after each byte of sound

The requests stand in FOLDER/log, one a line: path and Range.
"""

import http.server
import os
import select
import sys
import threading
import time
import urllib.parse

folder = sys.argv[1]
broken, lock = set(), threading.Lock()
# Heads, and what follows again and again.
floods = {
    "chunks": (b"200 OK\r\nContent-Type: audio/mpeg\r\nTransfer-Encoding: chunked\r\n\r\n5;", b"x" * 65536),
    "moving": (b"302 Found\r\nLocation: /moving\r\nContent-Length: 1000000000000000\r\n\r\n", b"x" * 65536),
    "titles": (
        b"200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: Test Radio\r\nicy-metaint: 1\r\n\r\n",
        (b"\0\xff" + b"StreamTitle='x';".ljust(4080, b"\0")) * 16,
    ),
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        path, _, query = self.path.partition("?")
        options = dict(urllib.parse.parse_qsl(query))
        with lock, open(os.path.join(folder, "log"), "a") as log:
            log.write(f"{self.path} {self.headers.get('Range', '-')}\n")
        kind = path.split("/")[1]
        if kind == "file":
            self.file(path[6:], options)
        elif kind == "radio":
            self.radio(path[7:], options)
        elif kind == "list.m3u":
            self.answer("audio/x-mpegurl", f"#EXTM3U\n#EXTINF:-1,x\nfile/{query}\n".encode())
        elif kind == "list.pls":
            text = f"[playlist]\r\nNumberOfEntries=1\r\nFile1=http://{self.headers['Host']}/file/{query}\r\n"
            self.answer("audio/x-scpls", text.encode())
        elif kind == "moved":
            self.send_response(302)
            self.send_header("Location", self.path[6:])
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif kind == "silent":
            threading.Event().wait()
        elif kind == "head":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while True:
                self.wfile.write(b"X-More: " + b"x" * 1000 + b"\r\n")
        elif kind in floods:
            head, body = floods[kind]
            self.wfile.write(b"HTTP/1.1 " + head)
            while True:
                self.wfile.write(body)
        elif kind == "page":
            self.answer("text/html", b"<html>" + b"no music here " * 100)
        else:
            self.send_error(404)

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def file(self, name, options):
        data = open(os.path.join(folder, name), "rb").read()
        start, given = 0, self.headers.get("Range")
        if given and options.get("range") != "no":
            start = int(given[6:].split("-")[0])
            if start >= len(data):
                return self.send_error(416)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        else:
            self.send_response(200)
        self.send_header("Content-Type", options.get("type", "application/octet-stream"))
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        with lock:
            cut = int(options.get("cut", 0)) if self.path not in broken else 0
            broken.add(self.path)
        self.wfile.write(data[start:cut or None])
        self.close_connection = True

    def radio(self, name, options):
        data = open(os.path.join(folder, name), "rb").read()
        rate, burst = int(options.get("rate", 16000)), int(options.get("burst", 65536))
        interval, cut = int(options.get("metaint", 0)), int(options.get("cut", 0))
        if self.headers.get("Icy-MetaData") != "1":
            interval = 0
        head = "ICY 200 OK\r\n" if options.get("icy") else "HTTP/1.0 200 OK\r\n"
        head += f"Content-Type: {options.get('type', 'audio/mpeg')}\r\n"
        head += "icy-name: Test Radio\r\nicy-br: 128\r\n"
        if interval:
            head += f"icy-metaint: {interval}\r\n"
        self.wfile.write((head + "\r\n").encode())
        stall, pause = int(options.get("stall", 0)), float(options.get("pause", 1e6))
        sent, titles, started = 0, 0, time.monotonic()
        while True:
            piece = interval or 4096
            place = sent % len(data)
            body = (data[place:] + data * (piece // len(data) + 1))[:piece]
            if cut:
                body = body[: max(0, cut - sent)]
            self.wfile.write(body)
            sent += len(body)
            if cut and sent >= cut:
                break
            if interval:
                titles += 1
                text = f"StreamTitle='Artist - Title; it's {titles}';".encode()
                blocks = (len(text) + 15) // 16
                self.wfile.write(bytes([blocks]) + text.ljust(blocks * 16, b"\0"))
            if stall and sent >= stall:
                stall = 0
                time.sleep(pause)
                started += pause
            while sent > burst + (time.monotonic() - started) * rate:
                time.sleep(0.02)
        self.close_connection = True


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
# In one piece, which the test reads at once.
os.write(1, f"{server.server_address[1]}\n".encode())
select.select([0], [], [])

import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct ThreadFilesTests {
  /// Starts a thread for each line, ends the last one for each empty line, and takes the name in a line that
  /// begins with `=`; it says how many there are.
  private static let program = """
    import sys, threading
    ends = []
    print(0, flush=True)
    for line in sys.stdin:
      if line.startswith("="):
        open("/proc/self/comm", "w").write(line[1:].strip())
      elif line.strip():
        end = threading.Event()
        thread = threading.Thread(target=end.wait)
        thread.start()
        ends.append((end, thread))
      else:
        end, thread = ends.pop()
        end.set()
        thread.join()
      print(len(ends), flush=True)
    """

  private func start() throws -> ConnectedChild {
    let child = try ConnectedChild(["python3", "-c", Self.program])
    _ = try child.output.line { $0 == "0" }
    return child
  }

  private func step(_ line: String, _ child: ConnectedChild) throws {
    try child.output.send("\(line)\n")
    _ = try child.output.line()
  }

  private func name(_ thread: Int32, _ files: ThreadFiles) throws -> String {
    var room = ShortText()
    try files.read(.name, of: thread, &room)
    return room.string
  }

  @Test func `threads that come and go are listed by files that stay open`() throws {
    let child = try start()
    let kept = ThreadFiles(of: child.pid, keeping: 4)
    #expect(try kept.threads() == [child.pid])
    for _ in 0..<3 { try step("more", child) }
    let threads = try kept.threads()
    #expect(threads.count == 4 && threads[0] == child.pid)
    for thread in threads { #expect(try name(thread, kept) == "python3\n") }
    #expect(kept.openCount == 5)
    try step("", child)
    // Python has joined a thread a moment before the kernel has ended it.
    try eventually("its last thread has not ended") {
      !Files.exists("/proc/\(child.pid)/task/\(threads[3])")
    }
    #expect(try kept.threads() == Array(threads.dropLast()))
    #expect(kept.openCount == 4)
    let error = #expect(throws: SystemError.self) { try name(threads[3], kept) }
    #expect(error?.isNoSuchFile == true)
  }

  @Test func `what stays open is read anew, and no more stays open than is allowed`() throws {
    let child = try start()
    let files = ThreadFiles(of: child.pid, keeping: 1)
    try step("more", child)
    let threads = try files.threads()
    for _ in 0..<2 { for thread in threads { #expect(try name(thread, files) == "python3\n") } }
    #expect(files.openCount == 2)
    try step("=renamed", child)
    #expect(try name(child.pid, files) == "renamed\n")
  }

  @Test func `a process that has ended has no threads, and none of its files is read`() throws {
    let child = try start()
    let files = ThreadFiles(of: child.pid, keeping: 4)
    _ = try (files.threads(), name(child.pid, files))
    try child.signal(Signal.kill)
    try child.end()
    #expect(throws: SystemError.self) { try name(child.pid, files) }
    let error = #expect(throws: SystemError.self) { try files.threads() }
    #expect(error?.isNoSuchFile == true)
    #expect(files.openCount == 0)
  }
}

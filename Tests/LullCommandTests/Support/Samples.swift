import LullWire

@testable import lull_command

/// The answer to `status` of a daemon with one program of each sort, as docs/PROTOCOL.md has it.
enum Samples {
  static let daemon = "item kind=daemon pid=42 version=0.1.0 clockRate=1 suspender=cgroup restarts=0"

  static let status = [
    daemon,
    "item kind=program name=phone state=suspended modes=voip,audio pids=100,101 cgroup=/lull/phone"
      + " asleepSeconds=200.5 awakeSeconds=10 wakes=3 managed=library silence=2.5",
    "item kind=line program=phone id=7 line=tcp local=127.0.0.1:50000 peer=127.0.0.1:10000 unread=0",
    "item kind=keepalive program=phone timeoutSeconds=600 dueInSeconds=243 runs=2",
    "item kind=wake program=phone reason=data line=7 waitedMicroseconds=31 agoSeconds=125",
    "item kind=program name=clock state=background modes=\"\" pids=\"\" cgroup=\"\""
      + " asleepSeconds=0 awakeSeconds=2 wakes=16 overBudget",
    "item kind=lease program=clock lease=wake endsInSeconds=8.4",
    "item kind=lease program=clock lease=task task=upload",
    "ok count=8",
  ]

  /// A program called `prog`.
  static func program(state: String) -> String {
    "item kind=program name=prog state=\(state) modes=voip pids=77 cgroup=/lull/prog asleepSeconds=0"
      + " awakeSeconds=1 wakes=0 managed=command"
  }

  static func messages(_ lines: [String]) throws(WireError) -> [Message] {
    var messages: [Message] = []
    for line in lines { messages.append(try Message.parse(line)) }
    return messages
  }

  static func report(_ lines: [String] = status) throws(WireError) -> StatusReport {
    try StatusReport(try messages(lines))
  }
}

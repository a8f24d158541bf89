import LullEngine
import LullSystem

/// What a look at a frozen command found.
enum Finding {
  case idle
  case busy(FreezeRefusal, String, retryAfter: Interval? = nil)
  /// The engine has taken the freeze back meanwhile.
  case overtaken
}

/// One look at a frozen command: its processes, how they wait, and the descriptors that they have open.
struct Survey {
  struct Process {
    let pid: Int32
    let pidfd: DescriptorBox
    let files: [OpenFile]
  }

  /// A descriptor that may be watched.
  struct Candidate {
    let process: Process
    let file: OpenFile
  }

  var processes: [Process] = []
  /// The shortest and the longest time-out with which a thread waits, in nanoseconds.
  var shortestWait: Int64?
  var longestWait: Int64?
  /// One for each open file: children share what their parent has open.
  var candidates: [Candidate] = []
  private var known: Set<OpenFile.Kind> = []

  mutating func add(_ process: Process) {
    processes.append(process)
    // Standard streams last: what is open under another number as well is known by that.
    let files = process.files.drop { $0.isStandard } + process.files.prefix { $0.isStandard }
    for file in files where file.isReadable && isWatchable(file, of: process) {
      if file.kind.namesItsFile, !known.insert(file.kind).inserted { continue }
      candidates.append(Candidate(process: process, file: file))
    }
  }

  /// Its own timers fire at the next thaw and do not wake it, except those that would wake the machine. The daemon sees
  /// neither what an epoll descriptor nor what a signalfd holds for its owner; what is behind them it watches itself.
  private func isWatchable(_ file: OpenFile, of process: Process) -> Bool {
    switch file.kind {
    case .epoll, .signals: false
    case .timer: (try? LullSystem.Process.isAlarmTimer(process.pid, number: file.number)) ?? false
    case .socket, .pipe, .event, .inotify, .pidfd, .ring, .anonymous, .path: true
    }
  }
}

extension OpenFile {
  /// Standard input, output and errors.
  var isStandard: Bool { number <= 2 }
}

extension OpenFile.Kind {
  /// True when two descriptors of this kind stand for the same file. Two of one path need not: a device gives each
  /// who opens it something of his own.
  var namesItsFile: Bool {
    switch self {
    case .socket, .pipe: true
    case .epoll, .event, .timer, .signals, .inotify, .pidfd, .ring, .anonymous, .path: false
    }
  }
}

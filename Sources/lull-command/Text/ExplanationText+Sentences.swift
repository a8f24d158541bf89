import LullWire

extension ExplanationText {
  /// A sentence for each word. `{name}` stands for the fact of that key, `{seconds:up}` for one that is
  /// written in another way. What stands in brackets is left out where one of its facts is missing; what
  /// follows `//` is said instead.
  static let sentences: [Explanation.Word: String] = [
    // An answer that refuses.
    .nameInUse: #"a program named "{name}" is managed already; choose another name"#,
    .noSuchLine: "no line {number}",
    .noSuchTask: "no open task {number}",
    .noSuchNotification: #"no notification {number}; "lull notifications" lists them"#,
    .noSuchAction: #"no action "{text}"; use its title, "default" or "dismiss""#,
    .noSuchSession: "no session {number}",
    .unknownProgram: """
    no program "{name}"; [did you mean "{text}"?//see "lull status", and "lull list" for what is \
    installed]
    """,
    .notRunning: #"{name} does not run; "lull start {name}" starts it"#,
    .notInstalled: #"{name} is not installed[ in {text}]; "lull install" does it"#,
    .notBackYet: "{name} runs, and has not come back to this lulld yet; try again",
    .recordingDenied: #"{name} may not record; "lull allow {name} record" lets it"#,
    .wasQuit: #"{name} was quit: "lull start {name}" starts it"#,
    .quitAlready: "{name} was quit already",
    .failsAgain: """
    {name} has failed several times in a row, and is started again in {seconds} s; "lull why {name}"
    """,
    .programEnded: #"{name} has ended: start it, or "dismiss" the notification"#,
    .programEnding: "the program has ended or is ending",
    .endedForGood: """
    {name} has ended, and cannot be started again; "lull answer {number} dismiss" takes its \
    notification away
    """,
    .tooManyPrograms: "at most {limit} programs at once",
    .tooManyLines: "at most {limit} lines in one program",
    .tooManyTasks: "at most {limit} open tasks in one program",
    .tooManyNotifications: "at most {limit} scheduled notifications in one program",
    .tooManySessions: "at most {limit} sessions of sound in one program",
    .keepaliveTooShort: "a keep-alive of {seconds} s is too short; the shortest is {limit} s",
    .repeatTooShort: "repeat={seconds} is too short; the shortest interval is {limit} s",
    .noBackgroundTime: "the time for tasks in this stay in the background has run out",
    .wrongMode: #"the program has to declare the mode "{text}" for this"#,
    .heldAwake: #"not now[: held awake by "{text}"]"#,
    .onlyHeard: #"it is only heard through Lull; start it with "lull run" to manage it"#,
    .commandCannotReturn: """
    {name} cannot come back: "lull install" it with --keep-lines, or allow that it ends with \
    --purgeable; if it has one of them, "lull list" tells the error in its file
    """,
    .programCannotReturn: """
    {name} cannot come back: "lull install" it, or allow that it ends with --purgeable; if it has \
    one of them, "lull list" tells the error in its file
    """,
    .callRings: "a call for {name} rings; answer or dismiss it first",
    .inCall: "{name} is in a call; try again when it is over",
    // Links, installed programs, and the lines that are kept.
    .linkOnlyAtStart: "{name} takes a link only when it is started, and it runs",
    .linksUnreadable: "{name} takes no links: {error}",
    .takesNoLinks: #"{name} takes no {text}: links; give it "--scheme {text}""#,
    .nobodyTakesLinks: """
    no program takes {text}: links; "lull run" or "lull install" one with "--scheme {text}"
    """,
    .severalTakeLinks: "{count} programs take {text}: links ({programs:list}); name one of them",
    .linksFull: "{name} is being started, and too many links or pushes wait for it",
    .payloadUnreadable: """
    the payload is a memfd of at most {limit} bytes ({error}); push where the rest can be found
    """,
    .payloadOnlyAtStart: """
    {name} takes a payload only when it is started, and it runs; a push without one wakes it
    """,
    .pushNotStarted: "{name} cannot be started for a push: {error}",
    .noWayToStart: """
    the lines of {name} are not kept: nothing tells how it is started again ("lull install" and \
    "lull run --detach" do)
    """,
    .needsKeepLines: """
    the lines of {name} are not kept: a command gets its sockets back only when it was started with \
    --keep-lines (it must take them by LISTEN_FDS, or their ports stay in use)
    """,
    .encryptedLine: "an encrypted line has no state: its keys end with the program, and it is not kept",
    .stateTooLarge: "a state of {bytes} bytes is refused: at most {limit} bytes",
    .stateNotMemory: "the state of a line is a memfd ({error})",
    .noMemory: "no memory for what is known of the lines: {error}",
    // What a client has to send, or may not.
    .needsCommand: "send the command before run (after {seconds} s it is dropped)",
    .needsRun: "send run before started (after {seconds} s it is given up)",
    .needsSound: "send the ring and the doorbell before session",
    .needsDescriptor: "send the descriptor with the line that names it (SCM_RIGHTS)",
    .needsRegistration: "register first: this is a program's request",
    .needsNumericAddress: "udpKeepaliveTo={text}: use a numeric address and a port, such as 192.0.2.1:5060",
    .needsName: #"no program name can be made of "{text}"; give name="#,
    .needsAbsoluteFolder: "folder must be a path from / on",
    .needsUDP: "{text} needs a UDP socket",
    .needsTCP: "{text} needs a TCP connection",
    .ringUnsealed: "a ring is a memfd, sealed with F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL",
    .doorbellNoSocket: "a doorbell is one end of a socket pair (SOCK_STREAM)",
    .ownConnection: "a connection to this daemon cannot be handed to it",
    .argumentsMissing: "arguments={number}: the file holds {count} strings",
    .commandTooLong: """
    the command is too long: its {count} strings have {bytes} bytes with a pointer to each; at most \
    {limit}
    """,
    .commandUnreadable: """
    the command cannot be read from its descriptor: {error}; send a memfd of at most {limit} bytes
    """,
    .descriptorUnwatchable: "descriptor {number} cannot be watched: {error}",
    .descriptorUnreadable: "descriptor {number} cannot be examined",
    .notYourChild: "the descriptor must be the pidfd of a child of yours",
    .notItsParent: #"only the parent of "{name}" may tell its end"#,
    .ownProcess: "a process of Lull itself, or pid 1, cannot be put to sleep",
    .adoptsNothing: "the process has ended",
    .adoptsInit: "pid 1 cannot be put to sleep",
    .adoptsKernel: "a thread of the kernel cannot be put to sleep",
    .adoptsOtherUser: "the process is another user's: only the lulld of root may adopt it",
    .adoptsAncestor: "lull was started by that process, and would sleep with it",
    .adoptsManaged: #"the process is a part of the program "{name}" already ("lull status {name}")"#,
    .adoptsSharedCgroup: """
    the cgroup {text} is not the program's own, since this command or Lull itself is in it; adopt one \
    process of it with --pid
    """,
    .adoptsFrozen: "somebody else has frozen the cgroup {text}; thaw it first",
    .adoptedEndsElsewhere: """
    {name} was adopted: who started it ends it[ ({text})]; "lull release {name}" lets it go
    """,
    .adoptedIsNeverEnded: """
    --exits-on-suspend, --purgeable and --keep-lines are not for an adopted program, which Lull never ends
    """,
    .notAdopted: #"{name} was started under Lull, and cannot be let go; "lull quit {name}" ends it"#,
    .signalNotSent: #"signal {number} cannot be sent to "{name}": {error}"#,
    .insideProgram: """
    a process of the program {name} may ask for that program only; leave it first (a shell that Lull \
    runs is such a process)
    """,
    .clientLeft: "nobody waits for the answer",
    .noZone: #"no time zone "{text}"; a name is like Europe/Berlin"#,
    .zoneUnreadable: "the file of the time zone {text} cannot be read",
    // A connection that is not taken.
    .otherUser: "this daemon serves uid {number}; another user needs one of their own",
    .peerUnknown: "the kernel does not tell who you are: {error}",
    .peerEnded: "the process that connected has ended; connect again",
    .otherNamespace: """
    this daemon cannot see your process, which is in another pid namespace (a container, say): run \
    lulld where the program runs
    """,
    .descriptorsUsedUp: "the daemon has no descriptors left; end some programs",
    .tooManyOfOne: "at most {limit} connections of one program or process at once",
    .tooManyConnections: "at most {limit} connections at once",
    .connectionsReserved: "the last {count} connections are kept for the operator",
    .connectionUnwatchable: "the connection cannot be watched: {error}",
    .watchesUsedUp: "the kernel refuses to watch one more process (/proc/sys/fs/epoll/max_user_watches)",
    .answersUntaken: #"{count} answers to "lines all" are not taken yet; try again later"#,
    // lulld, its guard and its helpers.
    .daemonEnding: "lulld is ending; try again when it has ended",
    .upgradeUnderWay: "an upgrade is under way",
    .upgradeFailed: "the new lulld does not start: {error}; nothing was changed",
    .guardMissingNow: #"no lull-guard watches; try again, or see "lull doctor""#,
    .guardIsFirst: """
    the new lulld does not start: lull-guard is the first process of a container: start that one \
    anew; nothing was changed
    """,
    .guardEnded: "the new lulld does not start: lull-guard ended; nothing was changed",
    .guardEndedWatching: """
    the new lulld does not start: lull-guard ended as soon as it watched; nothing was changed
    """,
    .guardEndedEarly: "the new lulld does not start: lull-guard ended before it watched; nothing was changed",
    .guardSilent: """
    the new lulld does not start: lull-guard did not say within {seconds} s that it watches; nothing \
    was changed
    """,
    .audioNotStarted: "lull-audio cannot be started: {error}; is it beside lulld?",
    .notifyNotStarted: "lull-notify cannot be started: {error}; is it beside lulld?",
    .notifyEnds: "lull-notify ends again and again",
    // What keeps a program from sleeping.
    .threadWorks: "thread {thread} of process {pid} is at work",
    .callUnderWay: "thread {thread} of process {pid} is in the middle of {text}",
    .processorUsed: "it has used {number} % of a processor since the last look",
    .signalWaits: "a signal waits for process {pid}",
    .lineUnread: "line {number}, [{text}//closed][, {bytes} bytes]",
    .lineQuery: "line {number}, [{text}//closed], for up to {seconds} s",
    .soundDoorbell: "the doorbell of its sound",
    .wakesItself: "it wakes every {seconds:ms} ms",
    .wakesItselfInCall: "it wakes every {seconds:ms} ms and has opened UDP sockets",
    .portMissing: "no socket has port {number}",
    .moreThanWatched: "{count}; at most {limit} are looked at",
    .soundRuns: "{text} runs",
    .soundMayRun: "a stream of {text} may run",
    .guardWouldNotThaw: "no lull-guard would thaw it if lulld died",
    .holdsDaemon: "lulld itself is among its processes",
    .processNotStopped: "process {pid} cannot be stopped: {error}",
    .orphansLost: #"its "lull run" has ended: what it has left in the background cannot be found"#,
    .notBeside: "{text} cannot be watched beside the program",
    .descriptorsHidden: "process {pid} shows no descriptors: its main thread may have ended",
    .rightsMissing: "{error}; lulld needs ptrace rights over all its processes",
    // What entries of the journal add.
    .overdueAtEnd: """
    for {seconds} s when the peer ended the connection[; from now on it is woken for its timers \
    every {limit} s]
    """,
    .residentFell: "from {residentBefore:MiB} to {residentAfter:MiB} MiB",
    .sleepersUsedUp: "nothing that sleeps may be purged; what runs is ended only when it is critical",
    .allUsedUp: "nothing is left that may be purged",
    .purgeKilled: "[held {bytes:KiB} KiB//the operator asked for it]",
    .purgeAsked: "asked to end; [held {bytes:KiB} KiB//the operator asked for it]",
    .linksLost: "it did not register in time to hear of {count} more links",
    .startsIn: """
    in {seconds:up} s: it crashed or could not be started, {count:times}; see "lull logs {name}"
    """,
    .outlivedDaemon: "it has outlived its daemon: process {pid}",
    .predecessorFailed: "lulld was killed or has failed, restarts {count}[; {text}]",
    .sessionMoved: "session {number} to {text}",
    .connectionOf: "connection of uid {number}",
    .notRegisteredInTime: "it did not register in time",
    .keeperFailed: "lull keep {name}: {error}",
    // Kept lines.
    .lineUntaken: "{text}: {name} did not take it",
    .lineCrashed: "{text}: {name} crashed as soon as it had it",
    .linePeerGone: "{text}: its peer is gone",
    .lineOtherStart: "{text}: another start of that name",
    .keptFull: "{text} is not kept: {limit} are kept for all programs",
    .keptFullOfOne: "{text} is not kept: {limit} are kept for one program",
    // Sounds and the hook of notifications.
    .playerNotStarted: "no sound: lull-player cannot be started: {error}",
    .playerMissing: "no sound: lull-player cannot be started; is it beside lulld?",
    .playerEnded: """
    [{text}: lull-player ended with {error}; the default sound is played instead//no sound: \
    lull-player ended with {error}]
    """,
    .playerSilent: """
    [{text}: lull-player did not begin to play; the default sound is played instead//no sound: \
    lull-player did not begin to play]
    """,
    .hookFlooded: "{text}: too many notifications at once; {count} were not told to it",
    .hookUnsafe: """
    {text}: not run; it must be executable, your own, and writable by nobody else; so must its \
    folder
    """,
    .hookOverdue: "{text}: ended after {seconds} s",
    .hookEnded: "{text}: {error}",
    .hookNotRun: "{text}: cannot be executed: {error}",
    // Files.
    .untilMachineEnds: "what is quit and scheduled is kept until the machine ends, and not longer: {error}",
    .untilItDies: "what this daemon knows is lost if it dies now: {error}",
    .noHome: "no home directory: set XDG_STATE_HOME",
    .journalOfAnother: "{text}: another lulld writes it",
    .scoresNotRaised: "not raised while a program sleeps: {error}",
  ]

  /// What belongs to an entry of the journal that has no facts, by its word.
  static let sentencesOfEntries = [
    "trial-frozen": "thawed at once and watched for a second",
    "trial-failed": "it ended when it was frozen; next time it is left awake",
    "line-lost": "the program closed its descriptor",
    "limit-stands": "it is traced: its limits go on when the tracer leaves it",
    "gave-up": "its rules did not come to an end; they go on in a second",
    "guard-thawed": "lulld stood still; lull-guard let every program go on",
  ]

  /// What a thread waits for, and nobody can watch.
  static func sentence(_ what: Unwatchable) -> String {
    switch what {
    case .sharedFutex: "a futex in shared memory"
    case .systemV: "a System V queue or semaphore"
    case .fileLock: "a file lock"
    case .narrow: "as a 32-bit program, whose system calls have other numbers"
    case .ring: "an io_uring with direct descriptors"
    case .stoppedRing: "an io_uring, which completes nothing while SIGSTOP stops its process"
    case .lease: "the end of a lease on a file"
    case .directoryNotice: "a notice of dnotify about a directory"
    case .queueNotice: "a notice of mq_notify about a message queue"
    case .permission: "a permission event of fanotify"
    case .fileSystem: "a request for a file system that it serves (FUSE)"
    case .ownDescriptors: "descriptors of one thread alone"
    }
  }
}

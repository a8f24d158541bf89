/// A request with its fields checked: every row of the tables of docs/PROTOCOL.md.
package enum Request: DescribedMessage {
  /// With `boot`, a daemon that was to boot nothing does so now.
  case hello(boot: Bool = false)

  case register(Register)
  case did(ticket: Ticket)
  case done(ticket: Ticket)
  /// Takes the `done` of this ticket back.
  case handling(ticket: Ticket)
  case hold(Hold)
  case release(line: LineID)
  /// The program's own state of a line, in a memfd; an empty one clears it.
  case lineState(line: LineID)
  /// Nil clears it.
  case keepalive(KeepAlive?)
  /// Sets the shortest time between two fetches; nil asks for none any more. `since` is the last fetch, or
  /// the moment at which the first was asked for, on CLOCK_BOOTTIME.
  case fetch(Interval?, since: Int64? = nil)
  /// The fetch or the push with this ticket is over.
  case fetched(ticket: Ticket, BackgroundFetchResult)
  /// Wakes the program after this time if it sleeps then. Nil takes that back.
  case wakeIn(Interval?)
  case beginTask(name: String)
  case endTask(task: TaskID)
  case remaining
  /// `replaces` is shown no longer; the new notification takes its place.
  case present(LocalNotification, replaces: NotificationID? = nil)
  case schedule(Schedule)
  /// Without a notification: all notifications of the program.
  case cancel(NotificationID?)
  /// With `all`, also those that are shown.
  case scheduled(all: Bool = false)
  /// `background` and `foreground` without a name: the program that asks.
  case background(name: String?)
  case foreground(name: String?)
  case handover(line: LineID, ticket: Ticket)
  case ready(ticket: Ticket)
  case bye

  case ring
  /// `inode` is that of the end of the socket pair that the program keeps.
  case doorbell(inode: UInt64?)
  case session(Session)
  case endSession(session: SessionID)

  /// With `all`, also the programs that have ended.
  case status(name: String?, all: Bool = false)
  case why(name: String)
  /// The next event that resumes a suspended machine.
  case alarm
  /// With `all`, each descriptor of a set has a record of its own.
  case lines(name: String?, all: Bool)
  /// Without a name: of all programs and of the daemon. `since` is the time since 1970; with `boot`, only
  /// those of this start of the machine.
  case log(follow: Bool, last: Int?, name: String? = nil, since: Interval? = nil, boot: Bool = false)
  case wake(name: String)
  case suspend(name: String)
  /// With `now` the program is killed; otherwise it is asked to end first. With `keepLines` its lines are
  /// kept for its next start; with `restart` the one who asks starts it again, and its end is told so.
  case quit(name: String, now: Bool, keepLines: Bool = false, restart: Bool = false)
  /// Ends the program as if memory were short.
  case purge(name: String)
  case notifications(follow: Bool)
  case answer(notification: NotificationID, action: String)
  /// Without `on`: asks whether it is quiet.
  case quiet(on: Vocabulary.Choice? = nil)
  /// Says whether a program may record.
  case recording(RecordingEntry)
  /// Without a name: the only program that takes links of this scheme.
  case open(url: String, name: String? = nil)
  /// The payload comes in a memfd; without it the payload is empty. `isSilent`: the title is not shown.
  case push(name: String, title: String? = nil, isSilent: Bool = false)
  /// The installed programs; with `start`, that one is started first, and a force-quit of it is forgotten.
  case installed(name: String? = nil, start: Bool = false)
  case doctor
  /// The daemon ends, and its guard with it. With `programs`, the programs are ended first.
  case stopDaemon(programs: Bool = false)
  case lock
  case unlock
  /// Replaces the daemon by the programs in this folder; nil: those in its own.
  case upgrade(folder: String? = nil)

  /// `arguments` is the number of the memfd's strings that are arguments; the rest is passed over.
  case command(arguments: Int)
  case run(Run)
  /// Comes with the pidfd of a process that others started, and that sleeps by these settings from now on.
  case adopt(Adopt)
  /// An adopted program is managed no more.
  case letGo(name: String)
  /// The program is about to start: asks for the description of all its kept lines, or for the descriptor of
  /// one.
  case kept(name: String, line: LineID?)
  /// Comes with the pidfd of the command that `run` made room for.
  case started
  /// The command of that name has ended; its parent takes the status when this is answered.
  case ended(name: String, ExitStatus)
  case attach(name: String)
  /// `sent` marks a signal that the program has got already: it only has to be awake for it.
  case signal(name: String, number: Int32, sent: Bool = false)
  case audioRoute(AudioRoute)
}

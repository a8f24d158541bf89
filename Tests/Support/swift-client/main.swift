// A program on the library in Swift by hand: it is told the calls of Tests/Support/c-client, and says the
// same. What the library does not tell, such as the number of a notification, is `-`.
import Glibc
import Lull

func say(_ words: Any...) {
  print(words.map { "\($0)" }.joined(separator: " "))
  fflush(nil)
}

func number(_ word: String) -> Int { Int(word) ?? 0 }

/// The words of the numbers in lull_types.h.
let wakes: [WakeReason] = [
  .data, .closed, .error, .accept, .keepalive, .notification, .accessory, .operator, .child, .writable,
  .unfrozen, .refill, .timer, .signal, .network, .resumed, .url, .lock, .location, .bluetooth, .fetch, .push,
]

func code(_ error: LullError) -> Int {
  switch error {
  case .daemonUnavailable: -1
  case .connectionLost: -2
  case .timedOut: -3
  case .nameInUse: -4
  case .wrongMode: -5
  case .notPollable: -6
  case .limitReached: -7
  case .noBackgroundTime: -8
  case .refused, .invalidName: -9
  case .unknownHost, .system: -10
  case .ended: -11
  }
}

final class Client: ApplicationDelegate {
  private(set) var application: Application?
  private var lines: [Int32: Line] = [:]
  private var otherEnd: Int32 = -1
  private var tasks: [BackgroundTask] = []
  private var timer: TimerToken?
  private var fetch: FetchCompletion?

  func application(_ application: Application, willFinishLaunchingWith options: LaunchOptions) {
    say("event message 1")
  }
  func application(_ application: Application, didFinishLaunchingWith options: LaunchOptions) {
    say("event message 2")
  }
  func applicationDidEnterBackground(_ application: Application) { say("event message 5") }
  func applicationDidWake(_ application: Application, reason: WakeReason) {
    say("event wake", 1 + (wakes.firstIndex(of: reason) ?? -1), "-")
  }
  func application(_ application: Application, surroundingsDidChange changes: SurroundingChanges) {
    say("event changed", changes.rawValue)
  }
  func application(_ application: Application, performFetch completion: FetchCompletion) {
    fetch = completion
    say("event fetch")
  }
  func application(
    _ application: Application, didReceive push: RemoteNotification, completion: FetchCompletion
  ) {
    say("event push", "\(push.title ?? "-"): \(String(decoding: push.payload, as: UTF8.self))")
    completion(.newData)
  }
  func application(_ application: Application, open url: String) { say("event open", url) }
  func application(_ application: Application, didReceive notification: LocalNotification) {
    say("event received -", notification.body)
  }
  func application(
    _ application: Application, didChoose action: String, for notification: NotificationToken
  ) {
    say("event action -", action)
  }
  func application(_ application: Application, didLose line: Line, error: LullError) {
    say("event line-lost", line.descriptor, error)
  }

  private func open(_ words: [String]) throws(LullError) {
    let (modes, flags) = (Modes(rawValue: UInt8(number(words[1]))), number(words[2]))
    application = try Application(
      name: words[0], modes: modes, launch: flags & 1 == 0 ? .background : .foreground,
      exitsOnSuspend: flags & 4 != 0, profile: flags & 2 == 0 ? .ios4 : .ios7,
      schemes: words.count > 3 ? words[3].split(separator: ",").map(String.init) : [],
      accessories: words.count > 4 ? words[4].split(separator: ",").compactMap { Accessory(String($0)) } : [],
      allowsCompaction: flags & 8 == 0, keepsLines: flags & 16 != 0, host: .daemon, delegate: self)
  }

  private func hold(_ descriptor: Int32, _ words: [String], by application: Application) throws(LullError) {
    lines[descriptor] = try application.hold(
      descriptor, offload: Offload(rawValue: words.count > 1 ? UInt8(number(words[1])) : 0), name: words.first
    ) {
      var bytes = [UInt8](repeating: 0, count: 256)
      say("bytes", descriptor, unsafe read(descriptor, &bytes, 256))
    }
  }

  private func notify(_ words: [String], by application: Application) throws(LullError) {
    let one = LocalNotification(body: words[0], action: words.count > 1 ? words[1] : nil)
    guard words.count > 3, let unit = CalendarUnit(rawValue: words[3]) else {
      try application.present(one)
      return
    }
    try application.schedule(one, atUnixTime: Double(time(nil) + number(words[2])), each: unit)
  }

  /// Returns the number of the result.
  private func call(_ word: String, _ words: [String]) throws(LullError) -> Int {
    if word == "open" { try open(words) }
    guard let application else { return 0 }
    let descriptor = words.first.flatMap { Int32($0) } ?? -1
    switch word {
    case "pair":
      var ends: [Int32] = [-1, -1]
      _ = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
      otherEnd = ends[1]
      return Int(ends[0])
    case "hold": try hold(descriptor, Array(words.dropFirst()), by: application)
    case "state": try lines[descriptor]?.setState(Array(words.dropFirst().joined().utf8))
    case "release":
      lines.removeValue(forKey: descriptor)?.release()
      _ = close(descriptor)
    case "keepalive": application.setKeepAliveTimeout(Double(words[0])) { say("event keepalive") }
    case "wake-in":
      timer?.cancel()
      timer = words[0] == "0" ? nil : application.schedule(after: Double(number(words[0])), wakes: true) {}
    case "fetch": application.setMinimumBackgroundFetchInterval(Double(words[0]))
    case "fetched": fetch?(.newData)
    case "task":
      tasks.append(
        try application.beginBackgroundTask(named: words[0]) { [count = tasks.count + 1] in
          say("event expire", count)
        })
      return tasks.count
    case "end": application.endBackgroundTask(tasks[Int(descriptor) - 1])
    case "remaining": _ = (application.backgroundTimeRemaining, application.taskTimeRemaining)
    case "notify": try notify(words, by: application)
    case "scheduled": return try application.scheduledNotifications().count
    case "cancel": application.cancelAllNotifications()
    case "background": application.enterBackground()
    case "foreground": application.requestForeground()
    case "done": application.finishedHandlingWake()
    case "handling":
      // The library says it by itself, when something is read after the word.
      application.finishedHandlingWake()
      application.dispatch()
      _ = unsafe write(otherEnd, "x", 1)
    case "descriptors":
      return (0..<1024).count { fcntl(Int32($0), F_GETFD) >= 0 }
    case "close": application.leave()
    default: break
    }
    application.dispatch()
    return 0
  }

  func obey(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    if words[0] == "exit" { exit(0) }
    do throws(LullError) {
      say("=", try call(words[0], Array(words.dropFirst())))
    } catch {
      say("=", code(error), error)
    }
  }
}

let client = Client()
while true {
  var entries = [0, client.application?.fileDescriptor ?? -1].map {
    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
  }
  guard unsafe poll(&entries, 2, -1) > 0 else { continue }
  if entries[1].revents != 0 { client.application?.dispatch() }
  guard entries[0].revents != 0 else { continue }
  guard let line = readLine() else { break }
  client.obey(line)
}

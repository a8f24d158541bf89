import Glibc
import Lull
import TestSupport
import Testing

/// The tour's code, with the library as the only import.
private final class Phone: ApplicationDelegate {
  var answers: [String] = []

  func application(_ application: Application, didChoose action: String, for notification: NotificationToken)
  {
    answers.append(action)
    application.finishedHandlingWake()
  }

  func application(
    _ application: Application, show notification: LocalNotification, as token: NotificationToken
  ) {
    do throws(LullError) {
      try application.choose(notification.action ?? "default", for: token)
    } catch {
      Issue.record("\(error)")
    }
    application.schedule(after: 0) { application.stop() }
  }

  func applicationDidEnterBackground(_ application: Application) {
    do throws(LullError) {
      try application.present(LocalNotification(body: "New VOIP call", action: "Answer"))
    } catch {
      Issue.record("\(error)")
    }
  }
}

@Suite(.bounded) struct TourTests {
  @Test func `The tour's program needs no other import and runs`() throws {
    let phone = Phone()
    let application = try Application(
      name: "softphone", modes: [.voip, .audio], launch: .background, host: .embedded, delegate: phone)
    application.setKeepAliveTimeout(600) { application.finishedHandlingWake() }
    application.run()
    #expect(phone.answers == ["Answer"])
    #expect(application.applicationState == .suspended)
  }

  @Test func `Another loop watches one descriptor`() throws {
    let application = try Application(name: "softphone", host: .embedded)
    for _ in 0..<3 {
      var ready = [pollfd(fd: application.fileDescriptor, events: Int16(POLLIN), revents: 0)]
      guard unsafe poll(&ready, 1, 0) > 0 else { break }
      application.dispatch()
    }
    #expect(application.applicationState == .active)
  }
}

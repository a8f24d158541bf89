import LullEngine
import LullSystem
import LullWire

// The change from one lulld to the next, and from this guard to the next.
extension Guard {
  /// Becomes the lull-guard of a folder, under the same number and with lulld as its child: whoever watches
  /// this process goes on, and nobody else can take the socket or the lock meanwhile. Returns when that
  /// cannot be; lulld is told.
  func become(_ message: Message, link: DescriptorBox?) {
    guard !isStopping, let folder = message[.folder], let link, let process = child.process else { return }
    do {
      // The race: lulld may die before it has told the new one anything.
      let kept = try kept.kept()
      try program.become(
        in: folder, link: link, child: process.pidfd, epoll: child.polled, kept: kept)
    } catch {
      child.tell(Message(.unchanged).adding(.message, "\(error)"))
    }
  }

  /// Starts the next lulld beside the one that gives way, which has thawed everything and waits for leave.
  func startNext(_ leave: DescriptorBox?) {
    guard let leave else { return }
    guard !isStopping, let process = child.process else {
      Self.log.ignoring(.closed, try FormerDaemon.release(leave))
      return
    }
    frozen.thawAll(forgetting: true)
    frozen.beginRecord()
    _ = child.end()
    chores.clear()
    former = FormerDaemon(process: process, leave: leave)
    chores.schedule(.kill, after: policy.upgradeEnding.nanoseconds)
    startAgain()
  }

  /// Has the next start go back to the program of the former lulld where that still waits: the new one does
  /// not start.
  func returnToFormer() {
    forgetFormer()
    program.returnsTo = former?.executable
    if former != nil { StandardError.say("lull-guard: the new lulld does not start; the one before goes on") }
  }

  /// Forgets a former lulld that has ended.
  func forgetFormer() { if former?.isRunning == false { former = nil } }

  /// Ends the former lulld, which is of no use any more.
  func dismissFormer() {
    guard let former else { return }
    self.former = nil
    Self.log.ignoring(.closed, try FormerDaemon.release(former.leave))
    Self.log.ignoring(.ended, try former.process.send(Signal.kill))
  }
}

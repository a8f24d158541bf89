import LullChannel
import LullEngine
import LullWire

enum AudioOutcome {
  case event(Event)
  /// For the client that opened the session.
  case notice(ProgramNotice, to: Slot)
  /// The session plays on in another lull-audio: that is told only where the engine believes that the session
  /// plays.
  case playsOn(AppID, SessionID)
  /// What the program plays straight to its sound server is measured from now on, or no longer.
  case straight(AppID, isMeasured: Bool)
  /// The session is over, as if its program had ended it.
  case end(AppID, SessionID)
  /// lull-audio is gone: no program sounds any more.
  case silenced
  /// The remark of `lull why` on the program's sound; nil ends it.
  case remark(AppID, String?)
  case note(AppID?, what: String, cause: String? = nil, detail: String? = nil)
}

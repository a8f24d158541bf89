/// The purpose of an audio session (Audio Session Programming Guide, "Categories").
public enum AudioCategory: String, CaseIterable, Sendable {
  /// Sound that the program can do without; mixes with others, silent in the background.
  case ambient
  /// Like `ambient`, but other programs are silent meanwhile.
  case soloAmbient
  /// Sound that is the program's purpose, such as music; goes on in the background with the mode `audio`.
  case playback
  /// Recording; goes on in the background with the mode `audio`.
  case record
  /// Playing and recording, as in a call; goes on in the background with the mode `audio`.
  case playAndRecord
}

/// The direction of the frames of a session.
public enum AudioDirection: String, CaseIterable, Sendable {
  case play
  case capture
}

/// The order by which a session is played.
public enum AudioOrder: String, CaseIterable, Sendable {
  case play
  /// The session is played more quietly than others.
  case duck
  /// The session is not played; its frames wait.
  case hold
  /// The user denies that the program records: the session is given up.
  case deny
}

/// Those sessions of a program that something is about.
public enum AudioScope: String, CaseIterable, Sendable {
  /// The sessions without a deep buffer, which fall silent when the program sleeps.
  case live
  case all
}

/// The state of a session, in the order of the ring's numbers.
public enum SessionState: String, CaseIterable, Sendable {
  /// Stopped; the state of a new session.
  case idle
  /// The session plays or records.
  case running
  /// Paused, at the frame that was played last.
  case paused
  /// The session is to play and has nothing to play.
  case starved
  /// Another program is heard instead, or the program has no sound in the background.
  case held
  /// Everything up to the drain has been played.
  case drained
  /// The session was given up, and is closed.
  case cut
}

/// The reason for which a session was given up.
public enum CutReason: String, CaseIterable, Sendable {
  /// The positions in its ring contradict each other.
  case badPosition = "bad-position"
  /// No sound device can be opened.
  case noDevice = "no-device"
  /// The device has no such rate or number of channels.
  case badFormat = "bad-format"
  /// The user denies that the program records.
  case denied
}

/// The reason for which a session is on another device.
public enum RouteReason: String, CaseIterable, Sendable {
  /// Somebody asked for it.
  case override
  /// The device of the session is gone or cannot be opened.
  case oldDeviceUnavailable = "old-device-unavailable"
  /// The device on which the session is to be is there again.
  case newDeviceAvailable = "new-device-available"
}

/// What a program plays and records straight at a sound server, past its audio sessions.
public enum StraightSound: String, CaseIterable, Sendable {
  /// Nothing, as far as is known.
  case none
  /// A stream runs that is not measured, such as one that somebody has muted.
  case running
  /// A stream records.
  case recording
  /// Streams run, and each is measured.
  case measured
}

/// The news to a program that another program is heard instead (`AVAudioSessionInterruptionNotification`).
public enum Interruption: Equatable, Sendable {
  case began
  /// With `shouldResume` the sound goes on by itself, else when the program starts it anew.
  case ended(shouldResume: Bool)
}

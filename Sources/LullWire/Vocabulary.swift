/// The words that are values of fields and belong to no other module.
package enum Vocabulary {
  /// The identity that the daemon gives the peer (`identity=`).
  package enum Identity: String, CaseIterable, Sendable {
    /// The owner, outside every program: an operator.
    case `operator`
    case program
  }

  /// The means by which programs are suspended (`suspender=`).
  package typealias Suspender = ProgramEntry.Suspension

  /// The way in which a program came under the daemon (`managed=`).
  package enum Management: String, CaseIterable, Sendable {
    case library
    case command
  }

  /// What was adopted (`adopts=`).
  package enum Adopted: String, CaseIterable, Sendable {
    /// A process and its descendants.
    case process
    /// All processes of a cgroup.
    case cgroup
    /// Those of a service of systemd.
    case unit
    case container
  }

  /// The means by which the processor time of a program is bounded.
  package enum Bounding: String, CaseIterable, Sendable {
    case kernel
    case freezer
  }

  /// `what=` of a tally.
  package enum Tallied: String, CaseIterable, Sendable {
    case wake
    /// A sleep that was refused.
    case refusal
  }

  /// The starter of the daemon (`startedBy=`).
  package enum Starter: String, CaseIterable, Sendable {
    /// The first command that needed a daemon.
    case use
    case daemonStart = "daemon-start"
    /// Somebody, by hand or by a script.
    case hand
    case service
  }

  /// `state=` of a notification: shown, or waiting for its time.
  package enum NotificationState: String, CaseIterable, Sendable {
    case pending
    case scheduled
  }

  /// An answer, or a setting (`on=`).
  package enum Choice: String, CaseIterable, Sendable {
    case yes
    case no
  }

  /// `result=` of a check of `doctor`.
  package enum CheckResult: String, CaseIterable, Sendable {
    case yes
    case no
    case limited
  }

  /// `phase=` of `interruption`: another program has the audio focus, or no longer.
  package enum InterruptionPhase: String, CaseIterable, Sendable {
    case began
    case ended
  }

  /// `change=` of `route`.
  package enum RouteChange: String, CaseIterable, Sendable {
    case gone
    case new
  }

  /// `state=` of a sound device.
  package enum DeviceState: String, CaseIterable, Sendable {
    case closed
    case open
    case none
  }
}

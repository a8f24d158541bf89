extension [RecordingEntry] {
  func permission(of name: String) -> RecordingPermission? { first { $0.name == name }?.permission }

  mutating func note(_ entry: RecordingEntry) {
    guard !contains(entry) else { return }
    removeAll { $0.name == entry.name }
    append(entry)
  }
}

extension LocalNotification {
  /// The notice that a program records in the background. It is Lull's own, and its answer is not the
  /// program's.
  fileprivate static func recording(pastLull: Bool) -> LocalNotification {
    var notice = LocalNotification(
      body: "records in the background" + (pastLull ? ", past Lull, which cannot deny that" : ""),
      action: RecordingPermission.denied.title)
    notice.otherAction = RecordingPermission.allowed.title
    return notice
  }

  /// The notice asks the user something in the name of Lull.
  var isQuestion: Bool { otherAction != nil }
}

extension Engine {
  /// Captures of a program that is denied are given up by lull-audio.
  mutating func permitRecording(_ entry: RecordingEntry, _ turn: inout Turn) -> Answer {
    recordings.note(entry)
    turn.perform(.recordPermission(entry))
    for id in centre.questions(about: entry.name) where centre.takePending(id) != nil {
      turn.perform(.withdraw(id))
    }
    guard let id = find(name: entry.name) else { return .done }
    _ = touch(id, &turn) { app, _ in app.isRecordingDenied = entry.permission == .denied }
    turn.note(id, .recordingPermitted(entry.permission))
    turn.rearrangesSound = true
    return .done
  }

  /// The user's answer to a notice of Lull's own.
  mutating func answerQuestion(_ item: NotificationRecord, action: String, _ turn: inout Turn) -> Answer {
    let permission = RecordingPermission.allCases.first { $0.title == action }
    return permission.map { permitRecording(RecordingEntry(item.program, $0), &turn) } ?? .done
  }

  /// A notice tells of each program that begins to record in the background, unless the user has allowed it
  /// or is being asked already.
  mutating func tellRecordings(_ turn: inout Turn) {
    for slot in 0..<apps.capacity {
      guard let begun = apps.updateSlot(slot, { $0.beginsToRecord() }), let begun, let app = apps[begun],
        recordings.permission(of: app.registration.name) != .allowed,
        centre.questions(about: app.registration.name).isEmpty
      else { continue }
      let item = NotificationRecord(
        id: centre.newID(), program: app.registration.name,
        content: .recording(pastLull: !app.isRecording))
      show(item, owner: begun, &turn)
    }
  }
}

extension App {
  /// Returns the program when it has begun to record in the background.
  fileprivate mutating func beginsToRecord() -> AppID? {
    // Nothing is observed in the foreground.
    if !isInBackground { recordsStraight = false }
    let records = isInBackground && (isRecording || recordsStraight)
    defer { recordsBehind = records }
    return records && !recordsBehind ? id : nil
  }
}

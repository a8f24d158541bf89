import LullEngine

/// The connections that speak for a program, belong to its processes, or watch it.
final class ProgramClients {
  struct Departure {
    let client: Client
    let program: AppID?
    let wasSpeaker: Bool
    /// Programs that were run from the connection and that no client watches any more.
    let abandoned: [AppID]
  }

  private struct Record {
    var speaker: Client?
    var connections: [Client] = []
    /// The connections that ran the program or attached to it.
    var watchers: [Client] = []
    var quitters: [Client] = []
    /// True for a program without a terminal: it goes on when the last watcher closes.
    var isDetached = false
  }

  private var records = AppTable<Record>()

  func speaker(of id: AppID) -> Client? { records[id]?.speaker }
  func connections(of id: AppID) -> [Client] { records[id]?.connections ?? [] }
  func watchers(of id: AppID) -> [Client] { records[id]?.watchers ?? [] }

  func quitters(of id: AppID) -> [Client] { records[id]?.quitters ?? [] }

  func begin(_ id: AppID) { records[id] = Record() }

  func connect(_ client: Client, to id: AppID) {
    change(id) { $0.connections.append(client) }
  }

  /// Makes the connection one of a program: its process becomes a program, or registers for the program that
  /// it is in.
  func enter(_ client: Client, _ id: AppID) {
    client.role = .program(id)
    connect(client, to: id)
  }

  func fallSilent(_ client: Client, _ id: AppID) {
    client.role = .program(id)
    setSpeaker(of: id, nil)
  }

  func setSpeaker(of id: AppID, _ client: Client?) {
    change(id) { $0.speaker = client }
  }

  func setDetached(_ id: AppID, _ isDetached: Bool) {
    change(id) { $0.isDetached = isDetached }
  }

  func watch(_ id: AppID, _ client: Client) {
    guard records[id] != nil, !watchers(of: id).contains(where: { $0 === client }) else { return }
    change(id) { $0.watchers.append(client) }
    client.watched.append(id)
  }

  /// Has a connection told of a program's end. Unlike a watcher's, its own end has no consequence.
  func addQuitter(_ client: Client, of id: AppID) {
    guard records[id] != nil, !client.awaited.contains(id) else { return }
    change(id) { $0.quitters.append(client) }
    client.awaited.append(id)
  }

  private func removeQuitter(_ client: Client, of id: AppID) {
    change(id) { $0.quitters.removeAll { $0 === client } }
    client.awaited.removeAll { $0 == id }
  }

  private func unwatch(_ id: AppID, _ client: Client) {
    change(id) { $0.watchers.removeAll { $0 === client } }
    client.watched.removeAll { $0 == id }
  }

  private func unwatchAll(_ id: AppID) {
    for watcher in watchers(of: id) { unwatch(id, watcher) }
  }

  private func isAbandoned(_ id: AppID) -> Bool {
    records[id].map { $0.watchers.isEmpty && !$0.isDetached } ?? false
  }

  func left(_ client: Client) -> Departure {
    let watched = client.watched
    for id in watched { unwatch(id, client) }
    for id in client.awaited { removeQuitter(client, of: id) }
    let program = client.role.program
    let wasSpeaker = program.map { disconnect(client, from: $0) } ?? false
    return Departure(
      client: client, program: program, wasSpeaker: wasSpeaker, abandoned: watched.filter(isAbandoned))
  }

  private func disconnect(_ client: Client, from id: AppID) -> Bool {
    let isSpeaker = speaker(of: id) === client
    change(id) {
      $0.connections.removeAll { $0 === client }
      if isSpeaker { $0.speaker = nil }
    }
    return isSpeaker
  }

  /// Forgets a program. A connection that lives long must not keep what the program had. The speaker's
  /// connection is outside every program again. The same holds for all processes of a program that
  /// `isUnmanaged`: it may have another connection, for another device of ALSA.
  func forget(_ id: AppID, isUnmanaged: Bool) {
    speaker(of: id)?.role = .operator
    for client in connections(of: id) where isUnmanaged { client.role = .operator }
    unwatchAll(id)
    for client in quitters(of: id) { removeQuitter(client, of: id) }
    records[id] = nil
  }

  private func change(_ id: AppID, _ body: (inout Record) -> Void) {
    records.update(id, body)
  }
}

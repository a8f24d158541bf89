extension App {
  mutating func open(_ url: String, _ turn: inout Turn) -> Engine.Answer {
    guard isStaying, registration.speaks else { return .gone }
    guard links.count < turn.policy.maximumLinks else {
      return .refused(.busy(isLaunched ? .transition : .launching))
    }
    links.append(url)
    return .done
  }

  /// In the background the program gets run time for each link.
  mutating func tellLinks(_ turn: inout Turn) {
    guard !links.isEmpty, isStaying, isLaunched, mail.isEmpty, registration.speaks else { return }
    let told = links
    links.removeAll()
    for url in told {
      if state == .background || state == .suspended {
        wake(.url, line: nil, for: turn.policy.wakeRunTime, &turn)
      }
      let ticket = turn.newTicket()
      // The run time of the wake is for the link.
      wakeLease?.ticket = ticket
      turn.perform(.open(id, url, ticket))
    }
  }
}

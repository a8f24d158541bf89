import LullProgram
import LullWire

/// A container that runs, as its runtime tells.
struct RunningContainer {
  let id: String
  /// `NAMESPACE/POD/CONTAINER`, or the container's name.
  let origin: String
  /// Its annotations and labels, with those of its pod.
  let annotations: [String: String]
  /// Nil where the runtime has to be asked for it.
  var pid: Int?
}

/// What runs containers, asked by its command.
protocol ContainerRuntime {
  /// A command that writes a line for each container that starts, from a time on in seconds since 1970; nil
  /// where it is to be looked for them now and then.
  func events(since: Int64) -> [String]?
  /// Those that run, and what is told of those whose id is not known.
  func look(known: Set<String>) throws(Failure) -> (running: Set<String>, new: [RunningContainer])
  func pid(of container: RunningContainer) throws(Failure) -> Int
}

enum ContainerRuntimes {
  static let usual = ["podman", "docker", "crictl"]

  static func runtime(_ program: String) throws(Failure) -> any ContainerRuntime {
    switch program.split(separator: "/").last {
    case "podman", "docker": return EngineRuntime(program: program)
    case "crictl": return CRIRuntime(program: program)
    default: throw .usage("--runtime \(program): for --pods one of \(usual.joined(separator: ", "))")
    }
  }

  /// The race: of several containers one has ended meanwhile. The others are told all the same, behind which
  /// the command fails.
  fileprivate static func json(_ words: [String]) throws(Failure) -> JSON {
    let answer = try OtherProgram.told(by: words)
    if let json = JSON(reading: answer.output) { return json }
    throw answer.status == .exited(0)
      ? .failed("\(words[0]) \(words[1]): its answer is no JSON") : answer.failure(of: words[0])
  }
}

/// podman, and docker, which has the same commands.
struct EngineRuntime: ContainerRuntime {
  let program: String

  func events(since: Int64) -> [String]? {
    [program, "events", "--since", "\(since)", "--filter", "type=container", "--filter", "event=start"]
  }

  func look(known: Set<String>) throws(Failure) -> (running: Set<String>, new: [RunningContainer]) {
    let format = #"{{json .ID}}"#
    let text = try OtherProgram.text(of: [program, "ps", "--no-trunc", "--format", format])
    let running = Set(text.split(separator: "\n").compactMap { JSON(reading: String($0))?.words })
    let new = running.subtracting(known).sorted()
    guard !new.isEmpty else { return (running, []) }
    let answer = try ContainerRuntimes.json([program, "container", "inspect"] + new)
    return (running, answer.elements.compactMap(Self.container))
  }

  static func container(_ json: JSON) -> RunningContainer? {
    guard let id = json["Id"].words, let name = json["Name"].words, json["State"]["Status"].words == "running"
    else { return nil }
    let texts = [json["Config"]["Labels"], json["HostConfig"]["Annotations"], json["Config"]["Annotations"]]
    return RunningContainer(
      id: id, origin: String(name.drop { $0 == "/" }), annotations: texts.reduce(into: [:]) { $0.add($1) },
      pid: json["State"]["Pid"].whole)
  }

  func pid(of container: RunningContainer) -> Int { container.pid ?? 0 }
}

/// The runtime of a kubelet. The annotations are those of the pod.
struct CRIRuntime: ContainerRuntime {
  let program: String

  /// With containerd 1 each event of "crictl events" would be missing to a kubelet that takes events as well.
  func events(since: Int64) -> [String]? { nil }

  func look(known: Set<String>) throws(Failure) -> (running: Set<String>, new: [RunningContainer]) {
    let containers = try ContainerRuntimes.json([program, "ps", "--output", "json"])["containers"].elements
    let running = Set(containers.compactMap { $0["id"].words })
    guard !running.isSubset(of: known) else { return (running, []) }
    let pods = try ContainerRuntimes.json([program, "pods", "--output", "json"])["items"].elements
    let new = containers.filter { $0["id"].words.map(known.contains) == false }
    return (running, new.compactMap { Self.container($0, in: pods) })
  }

  static func container(_ json: JSON, in pods: [JSON]) -> RunningContainer? {
    guard let id = json["id"].words, let name = json["metadata"]["name"].words,
      let pod = pods.first(where: { $0["id"].words == json["podSandboxId"].words })
    else { return nil }
    let place = [pod["metadata"]["namespace"].words ?? "", pod["metadata"]["name"].words ?? "", name]
    let texts = [pod["labels"], pod["annotations"]]
    return RunningContainer(
      id: id, origin: place.joined(separator: "/"), annotations: texts.reduce(into: [:]) { $0.add($1) })
  }

  func pid(of container: RunningContainer) throws(Failure) -> Int {
    let answer = try ContainerRuntimes.json([program, "inspect", "--output", "json", container.id])
    return answer["info"]["pid"].whole ?? 0
  }
}

extension [String: String] {
  fileprivate mutating func add(_ texts: JSON) {
    for (key, text) in texts.members { if let text = text.words { self[key] = text } }
  }
}

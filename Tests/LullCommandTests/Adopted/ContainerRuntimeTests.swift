import LullProgram
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct ContainerRuntimeTests {
  /// What podman 4.3 told of a container of "podman run --annotation --label", shortened.
  private static let podman = """
    [
         {
              "Id": "39922eaee335618811603c15361602c0b895ab4dfd1fb64d4ad43ef963288be7",
              "Created": "2026-11-29T21:52:07.528166546Z",
              "Args": [ "-c", "trap \\"exit 3\\" TERM; httpd -p 7000 -h /tmp" ],
              "State": {
                   "OciVersion": "1.0.2-dev", "Status": "running", "Running": true, "Paused": false,
                   "Pid": 21279, "ExitCode": 0, "Health": { "Status": "", "FailingStreak": 0, "Log": null }
              },
              "Name": "web",
              "IsInfra": false,
              "Config": {
                   "Labels": { "tier": "front" },
                   "Annotations": {
                        "io.container.manager": "libpod",
                        "io.podman.annotations.autoremove": "FALSE",
                        "lull.mode": "voip",
                        "org.opencontainers.image.stopSignal": "15"
                   }
              }
         }
    ]
    """

  /// The same of docker, whose names begin with a slash and whose annotations stand elsewhere.
  private static let docker = #"""
    [{"Id":"af1","State":{"Status":"running","Running":true,"Pid":4711},"Name":"/web","HostConfig":
    {"NetworkMode":"bridge","Annotations":{"lull.linger":"3"}},"Config":{"Labels":{"lull.mode":"voip"}}}]
    """#

  /// The answers of crictl, in the words of the CRI's API.
  private static let pods = #"""
    {"items":[{"id":"5ad1","metadata":{"name":"web-7d4b9c6f5-x2x9k","uid":"e1","namespace":"shop"},
    "state":"SANDBOX_READY","createdAt":"1764453127000000000","labels":{"io.kubernetes.pod.namespace":
    "shop","tier":"front"},"annotations":{"kubernetes.io/config.source":"api",
    "lull.mode":"voip","lull.ignore-peer":"10.0.0.0/8"},"runtimeHandler":""}]}
    """#
  private static let containers = #"""
    {"containers":[{"id":"c0ffee","podSandboxId":"5ad1","metadata":{"name":"app","attempt":2},"image":{
    "image":"sha256:1"},"imageRef":"sha256:1","state":"CONTAINER_RUNNING","labels":
    {"io.kubernetes.container.name":"app"},"annotations":{"io.kubernetes.container.restartCount":"2"}}]}
    """#

  @Test func `podman tells the process, the annotations and the labels`() throws {
    let containers = try #require(JSON(reading: Self.podman)).elements.compactMap(EngineRuntime.container)
    let web = try #require(containers.first)
    #expect(web.origin == "web" && web.pid == 21279 && web.id.hasPrefix("39922eaee335"))
    #expect(web.has("tier=front") && web.has("lull.mode=voip"))
    #expect(!web.has("tier=back") && !web.has("tier"))
    #expect(web.programName == "web")
  }

  @Test func `docker does as well`() throws {
    let json = try #require(JSON(reading: Self.docker)).elements[0]
    let web = try #require(EngineRuntime.container(json))
    #expect(web.origin == "web" && web.pid == 4711)
    #expect(web.annotations == ["lull.mode": "voip", "lull.linger": "3"])
  }

  @Test func `one that has ended meanwhile is none`() throws {
    let text = Self.podman.replacing(#""Status": "running""#, with: #""Status": "exited""#)
    #expect(EngineRuntime.container(try #require(JSON(reading: text)).elements[0]) == nil)
    #expect(EngineRuntime.container(.null) == nil)
  }

  @Test func `a container of the CRI has the annotations of its pod, and a name of three parts`() throws {
    let pods = try #require(JSON(reading: Self.pods))["items"].elements
    let json = try #require(JSON(reading: Self.containers))["containers"].elements[0]
    let app = try #require(CRIRuntime.container(json, in: pods))
    #expect(app.id == "c0ffee" && app.origin == "shop/web-7d4b9c6f5-x2x9k/app")
    #expect(app.programName == "shop.web-7d4b9c6f5-x2x9k.app")
    #expect(app.annotations["lull.ignore-peer"] == "10.0.0.0/8" && app.has("tier=front"))
    #expect(CRIRuntime.container(json, in: []) == nil)
  }

  @Test func `a long name loses its beginning, and what no name has becomes a dash`() {
    let origin = "a-namespace-with-a-name/" + String(repeating: "p", count: 50) + "-x2x9k/app"
    let name = RunningContainer(id: "1", origin: origin, annotations: [:]).programName
    #expect(name?.hasSuffix("-x2x9k.app") == true && (name?.utf8.count ?? 99) <= 64)
    let strange = RunningContainer(id: "1", origin: "_über/x", annotations: [:])
    #expect(strange.programName?.hasSuffix("ber.x") == true)
  }
}

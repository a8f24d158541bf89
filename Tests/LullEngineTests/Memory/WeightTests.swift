import LullEngine
import TestSupport
import Testing

/// Programs in the background get a smaller share of the processor, unless they can be heard.
@Suite(.bounded) struct WeightTests {
  private func script(_ modes: Modes, resumes: ApplicationState?) -> (script: Script, said: [String]) {
    var policy = Script.prompt
    policy.processes = ProcessPolicy()
    var script = Script(policy: policy)
    let said = script.register("phone", modes) { $0.resumes = resumes }
    return (script, said)
  }

  @Test func `a program in the background has a low weight until it comes to the foreground`() {
    var (script, said) = script(.voip, resumes: .background)
    #expect(said.last == "phone: weight low")
    script.command("phone", .foreground)
    #expect(script.did("phone").contains("phone: weight full"))
  }

  @Test func `a program in the foreground keeps its weight`() {
    let (_, said) = script(.voip, resumes: .active)
    #expect(!said.contains { $0.contains("weight") })
  }

  @Test func `sleep and wake leave the weight as it is`() {
    var (script, _) = script(.voip, resumes: .background)
    script.hold("phone")
    script.done("phone")
    #expect(!script.frozen("phone").contains { $0.contains("weight") })
    #expect(script.ready("phone") == ["thaw phone", "phone: woke, data on line 1"])
  }

  @Test func `an unmanaged client keeps its weight`() {
    var policy = Script.prompt
    policy.processes = ProcessPolicy()
    var script = Script(policy: policy)
    let said = script.register("aplay", .audio) {
      ($0.isUnmanaged, $0.speaks, $0.launch) = (true, false, .background)
    }
    #expect(!said.contains { $0.contains("weight") })
  }
}

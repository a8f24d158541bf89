import LullProgram
import TestSupport
import Testing

@Suite(.bounded) struct JSONReadingTests {
  @Test(arguments: [
    #"{"a":[1,-2,0.5,1e3],"b":{"c":null,"d":true},"e":[]}"#,
    #""\"\\/\n\r\t\u0001ü""#,
    "[[],{}]",
  ])
  func `what is written is read again`(text: String) throws {
    let value = try #require(JSON(reading: text))
    #expect(try #require(JSON(reading: value.text)).text == value.text)
    #expect(try #require(JSON(reading: value.indentedText)).text == value.text)
  }

  @Test func `the parts of a value are found, and what is missing is null`() throws {
    let value = try #require(
      JSON(
        reading: #" { "name" : "\u00fc\ud83d\ude00\/\b" , "pid":4711, "list":["a",null,2.5], "#
          + #""o":{"x":false} } "#))
    #expect(value["name"].words == "ü😀/\u{8}")
    #expect(value["pid"].whole == 4711)
    #expect(value["pid"].words == nil && value["name"].whole == nil)
    #expect(value["list"].elements.map(\.words) == ["a", nil, nil])
    #expect(value["o"].members.map(\.0) == ["x"])
    #expect(value["no"]["such"].text == "null" && value["name"].elements.isEmpty)
  }

  @Test(arguments: [
    "", "{", "{]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "[1 2]", "[1,]", "nul", "True", "1x", "-", "1.",
    #""open"#, #""\x""#, #""\u12""#, #""\ud83d""#, #""\udc00""#, "{} {}", "level=warning [x]", "0x10", "nan",
    String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
  ])
  func `what is no JSON is nothing`(text: String) { #expect(JSON(reading: text) == nil) }
}

import { assertEquals } from "@std/assert";
import { Issues } from "../../../src/cel/issues.ts";
import { SourceText } from "../../../src/cel/source_text.ts";

Deno.test("SourceText: a place is shown below its line, with wide dots below wide characters", () => {
  const source = new SourceText("a\té€𝄞b\nc");
  assertEquals(source.display(source.location(5), "x"), "ERROR: <input>:1:6: x\n | a é€𝄞b\n | ..．．．^");
  assertEquals(source.display(source.location(2), "x"), "ERROR: <input>:1:3: x\n | a é€𝄞b\n | ..＾");
  assertEquals(source.display(source.location(7), "x"), "ERROR: <input>:2:1: x\n | c\n | ^");
  assertEquals(source.display(source.location(-1), "x"), "ERROR: <input>:-1:0: x");
});

Deno.test("SourceText: a line of more than 16,384 bytes is not shown", () => {
  const shown = (text: string) => new SourceText(text).display({ line: 1, column: 0 }, "x").includes("\n");
  assertEquals([shown("a".repeat(16_384)), shown("a".repeat(16_385)), shown("é".repeat(8_193))], [true, false, false]);
});

Deno.test("Issues are told by place, a hundred at most", () => {
  const issues = new Issues(new SourceText("ab"));
  for (let i = 0; i < 101; i++) issues.add(i === 0 ? 1 : 0, `${i}`);
  const lines = String(issues).split("\n");
  assertEquals([lines[0], lines.at(-1)], ["ERROR: <input>:1:1: 1", "1 more errors were truncated"]);
  assertEquals(lines.at(-4), "ERROR: <input>:1:2: 0");
});

import { assertEquals } from "@std/assert";
import { canonicalJson, parseJson } from "../../../src/base/mod.ts";

Deno.test("canonicalJson sorts keys by their UTF-8 bytes, integer-like ones too", () => {
  assertEquals(canonicalJson({ b: 1, a: 2, 10: 3, 9: 4, A: 5 }), '{"10":3,"9":4,"A":5,"a":2,"b":1}');
  assertEquals(canonicalJson({ "\u{1f600}": 1, "\uffff": 2, "é": 3 }), '{"é":3,"\uffff":2,"\u{1f600}":1}');
});

Deno.test("canonicalJson escapes what Go escapes and nothing else", () => {
  const cases: Record<string, string> = {
    '"\\': '"\\"\\\\"',
    "\b\f\n\r\t": '"\\b\\f\\n\\r\\t"',
    "\u0000\u001f\v": '"\\u0000\\u001f\\u000b"',
    "<a>&": '"\\u003ca\\u003e\\u0026"',
    "\u2028\u2029": '"\\u2028\\u2029"',
    "/\u007fé\u{1f600}": '"/\u007fé\u{1f600}"',
    "\ud800x": '"\\ufffdx"',
  };
  for (const [text, expected] of Object.entries(cases)) assertEquals(canonicalJson(text), expected);
});

Deno.test("canonicalJson writes integers of any size digit by digit", () => {
  assertEquals(canonicalJson(parseJson('{"n":[9223372036854775807,-1,0]}')), '{"n":[9223372036854775807,-1,0]}');
});

Deno.test("canonicalJson writes null, leaves out undefined members, and uses no white space", () => {
  assertEquals(canonicalJson({ a: null, b: undefined, c: [true, false, {}, []] }), '{"a":null,"c":[true,false,{},[]]}');
});

Deno.test("canonicalJson writes a value of any depth", () => {
  const text = '{"a":['.repeat(5000) + "9223372036854775808" + "]}".repeat(5000);
  assertEquals(canonicalJson(parseJson(text)), text);
});

import { assertEquals, assertThrows } from "@std/assert";
import { DriverError } from "../../../../src/controllers/mod.ts";
import { readDriverAnswer } from "../../../../src/manager/supplies/driver_answer.ts";

const PLAIN = { isSupported: true, device: "", isAttached: false, attaches: true };

const ANSWERS: readonly (readonly [string, Partial<typeof PLAIN>])[] = [
  ['{"status":"Success"}', {}],
  [' {"status":"Success","device":"/dev/sdb"}\n', { device: "/dev/sdb" }],
  ['{"STATUS":"Success","Attached":true}', { isAttached: true }],
  ['{"status":"Success","capabilities":{"attach":false}}', { attaches: false }],
  ['{"status":"Success","Capabilities":{"Attach":false,"fsGroup":false}}', { attaches: false }],
  ['{"status":"Success","capabilities":null,"device":null}', {}],
  ['{"status":"Success","__proto__":{"device":"x"},"constructor":1,"volumeNewSize":1e999}', {}],
  ['{"status":"Not supported","message":"no"}', { isSupported: false }],
];

for (const [text, expected] of ANSWERS) {
  Deno.test(`readDriverAnswer reads ${text.trim()}`, () => {
    assertEquals(readDriverAnswer("attach", text), { ...PLAIN, ...expected });
  });
}

const FAILURES: readonly (readonly [string, string])[] = [
  ["", "unexpected end of JSON input"],
  ["  \n", "unexpected end of JSON input"],
  ["hello", "invalid character 'h' looking for beginning of value"],
  ["<html>", "invalid character '<' looking for beginning of value"],
  ["[]", "json: cannot unmarshal array into Go value of type flexvolume.DriverStatus"],
  ['"x"', "json: cannot unmarshal string into Go value of type flexvolume.DriverStatus"],
  ["1", "json: cannot unmarshal number into Go value of type flexvolume.DriverStatus"],
  ["null", "attach command failed, status: , reason: "],
  ["{}", "attach command failed, status: , reason: "],
  ['{"status":"Failure","message":"disk gone"}', "attach command failed, status: Failure, reason: disk gone"],
  ['{"status":"success"}', "attach command failed, status: success, reason: "],
  [
    '{"status":"Success","attached":"yes"}',
    "json: cannot unmarshal string into Go struct field DriverStatus.attached of type bool",
  ],
  [
    '{"status":"Success","capabilities":{"attach":1}}',
    "json: cannot unmarshal number into Go struct field DriverStatus.Capabilities.attach of type bool",
  ],
];

for (const [text, expected] of FAILURES) {
  Deno.test(`readDriverAnswer says what is wrong with ${JSON.stringify(text)}`, () => {
    assertEquals(assertThrows(() => readDriverAnswer("attach", text), DriverError).message, expected);
  });
}

for (const text of ['{"status":"Success"}{}', '{"status":"Success"', "[".repeat(60_000), '{"a":'.repeat(60_000)]) {
  Deno.test(`readDriverAnswer refuses what is not JSON, such as ${text.slice(0, 24)}`, () => {
    assertThrows(() => readDriverAnswer("attach", text), DriverError);
  });
}

Deno.test("readDriverAnswer cuts messages: they end up in events", () => {
  const text = JSON.stringify({ status: "Failure", message: "x".repeat(500_000) });
  assertEquals(assertThrows(() => readDriverAnswer("attach", text), DriverError).message.length, 4099);
});

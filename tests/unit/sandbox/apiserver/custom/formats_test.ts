import { assertEquals } from "@std/assert";
import { formatCheck, isKnownFormat } from "../../../../../src/sandbox/apiserver/custom/formats.ts";

/** Format, texts that are of it, texts that are not. */
const TABLE: ReadonlyArray<readonly [format: string, yes: readonly string[], no: readonly string[]]> = [
  ["date-time", ["2026-11-21T03:11:18Z", "2024-02-29t00:00:00.5+01:00"], ["2026-11-21", "2026-11-21T24:00:00Z", "x"]],
  ["date", ["2024-02-29"], ["2023-02-29", "2023-2-1", "2023-13-01"]],
  ["duration", ["1h30m", "22 ns", "3 days", "0"], ["", "1", "soon"]],
  ["email", ["a@b", "A B <a.b@c.example>", '"x y"@z'], ["a", "a@", "@b", "a b@c"]],
  ["hostname", ["example.com", "a.b-c.example", "localhost"], ["-a.example", "a_b.example", "a..example", "ab"]],
  ["uri", ["https://example.com/a?b=c", "/a", "https://[::1]:8080/"], ["example", "", "http://a b/", "/%zz"]],
  ["ipv4", ["10.0.0.1"], ["010.0.0.1", "10.0.0", "10.0.0.256", "::1"]],
  ["ipv6", ["::1", "fe80::1:2"], ["1.2.3.4", "::g"]],
  ["cidr", ["10.0.0.0/8", "::/0"], ["10.0.0.0", "10.0.0.0/33", "a/8"]],
  ["mac", ["00:00:5e:00:53:01", "00-00-5e-00-53-01", "0000.5e00.5301"], ["00:00", "00:00:5e:00:53:zz"]],
  ["uuid", ["a987fbc9-4bed-4078-8f07-9141ba07c9f3", "A987FBC94BED40788F079141BA07C9F3"], ["a987fbc9"]],
  ["uuid4", ["a987fbc9-4bed-4078-8f07-9141ba07c9f3"], ["a987fbc9-4bed-3078-8f07-9141ba07c9f3"]],
  ["byte", ["aGk=", "aGkh"], ["aGk", "a-k=", ""]],
  ["k8s-short-name", ["a-b"], ["-a", "a".repeat(64)]],
  ["k8s-long-name", ["a-b.c"], ["a..b"]],
  ["password", ["", "x"], []],
  ["creditcard", ["known, but not checked"], []],
];

for (const [format, yes, no] of TABLE) {
  Deno.test(`formatCheck tells texts of format ${format} from others`, () => {
    const check = formatCheck(format)!;
    assertEquals(yes.filter((text) => !check(text)), []);
    assertEquals(no.filter((text) => check(text)), []);
  });
}

Deno.test("formatCheck takes no time to refuse a long text", () => {
  for (const [format] of TABLE) formatCheck(format)!(`${"a".repeat(250)}!`);
});

Deno.test("isKnownFormat knows formats for texts and for numbers apart", () => {
  const known = [["string", "date"], ["", "uuid"], ["integer", "int32"], ["number", "double"]];
  const unknown = [["string", "int32"], ["integer", "date"], ["number", "int32"], ["object", "date"], ["string", "x"]];
  assertEquals(known.filter(([type, format]) => !isKnownFormat(type, format)), []);
  assertEquals(unknown.filter(([type, format]) => isKnownFormat(type, format)), []);
});

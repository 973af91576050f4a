import { assertEquals, assertMatch } from "@std/assert";
import { compareUtf8, fnv1_32, fnv1a32, SeededRandom } from "../../../src/base/mod.ts";
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  generateName,
  isDns1123Label,
  isDns1123Subdomain,
  labelKeyErrors,
  labelValueErrors,
  pathSegmentErrors,
  randomSuffix,
  safeEncode,
} from "../../../src/api/mod.ts";

Deno.test("generateName cuts the prefix to 58 characters and adds five without vowels", () => {
  const random = new SeededRandom(5);
  assertMatch(generateName("web-", random), /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  const name = generateName("x".repeat(80), random);
  assertEquals(name.length, 63);
  assertEquals(name.slice(0, 58), "x".repeat(58));
});

Deno.test("randomSuffix uses every allowed character", () => {
  const text = randomSuffix(new SeededRandom(1), 5000);
  assertEquals([...new Set(text)].sort().join(""), "2456789bcdfghjklmnpqrstvwxz");
});

Deno.test("safeEncode maps digits as hashes are mapped", () => {
  assertEquals(safeEncode("0123456789"), "456789bcdf");
});

Deno.test("fnv1a32 and fnv1_32 give the published values", () => {
  const bytes = new TextEncoder().encode("foobar");
  assertEquals(fnv1a32(bytes), 0xbf9cf968);
  assertEquals(fnv1_32(bytes), 0x31f0b262);
  assertEquals(fnv1a32(new Uint8Array()), 0x811c9dc5);
});

Deno.test("fnv1a32 and fnv1_32 continue from an earlier result", () => {
  const bytes = new TextEncoder().encode("foobar");
  for (const hash of [fnv1a32, fnv1_32]) assertEquals(hash(bytes.slice(3), hash(bytes.slice(0, 3))), hash(bytes));
});

Deno.test("compareUtf8 orders by UTF-8 bytes, also beyond U+FFFF", () => {
  const texts = ["\u{1f600}", "\uffff", "é", "b", "a", "", "ab", "\u{1f601}", "\ue000"];
  const bytes = (text: string) => [...new TextEncoder().encode(text)];
  const byBytes = texts.toSorted((a, b) => {
    const [left, right] = [bytes(a), bytes(b)];
    const at = left.findIndex((byte, i) => byte !== right[i]);
    return at < 0 ? left.length - right.length : right[at] === undefined ? 1 : left[at] - right[at];
  });
  assertEquals(texts.toSorted(compareUtf8), byBytes);
});

const SUBDOMAIN_ERROR =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

Deno.test("dns1123SubdomainErrors says what is wrong in upstream's words", () => {
  assertEquals(dns1123SubdomainErrors("a-b.c1"), []);
  assertEquals(dns1123SubdomainErrors("A"), [SUBDOMAIN_ERROR]);
  assertEquals(dns1123SubdomainErrors("a".repeat(254)), ["must be no more than 253 bytes"]);
  assertEquals(dns1123SubdomainErrors("a\n"), [SUBDOMAIN_ERROR]);
});

Deno.test("dns1123LabelErrors says what is wrong in upstream's words", () => {
  assertEquals(dns1123LabelErrors("1-a"), []);
  assertEquals(dns1123LabelErrors("a.b"), ["must not contain dots"]);
  assertEquals(dns1123LabelErrors("-a"), [
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
    "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ]);
  assertEquals([isDns1123Label("a.b"), isDns1123Subdomain("a.b")], [false, true]);
});

Deno.test("dns1035LabelErrors wants a letter first", () => {
  assertEquals(dns1035LabelErrors("a-1"), []);
  assertEquals(dns1035LabelErrors("1-a").length, 1);
});

Deno.test("labelKeyErrors checks the prefix and the name apart", () => {
  assertEquals(labelKeyErrors("example.com/My_name.1"), []);
  assertEquals(labelKeyErrors("a/b/c").length, 1);
  assertEquals(labelKeyErrors("/a"), ["prefix part must be non-empty"]);
  assertEquals(labelKeyErrors("UP/a"), [`prefix part ${SUBDOMAIN_ERROR}`]);
  assertEquals(labelKeyErrors("")[0], "name part must be non-empty");
  assertEquals(labelKeyErrors("a".repeat(64)), ["name part must be no more than 63 bytes"]);
});

Deno.test("labelValueErrors allows the empty value and counts bytes", () => {
  assertEquals(labelValueErrors(""), []);
  assertEquals(labelValueErrors("a".repeat(64)), ["must be no more than 63 bytes"]);
  assertEquals(labelValueErrors("é".repeat(32)).length, 2);
});

Deno.test("pathSegmentErrors refuses what would change the path", () => {
  assertEquals(pathSegmentErrors("system:node"), []);
  assertEquals(pathSegmentErrors(".."), ["may not be '..'"]);
  assertEquals(pathSegmentErrors("a/b%"), ["may not contain '/'", "may not contain '%'"]);
});

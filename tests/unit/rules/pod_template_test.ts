import { assertEquals } from "@std/assert";
import { canonicalJson, parseJson } from "../../../src/base/mod.ts";
import { encodePodTemplate, equalIgnoreHash, podTemplateHash } from "../../../src/rules/mod.ts";
import type { PodTemplateSpec } from "../../../src/api/mod.ts";

/** One random template, or a random change of one, and what upstream's Go types made of it. */
interface Row {
  readonly raw: PodTemplateSpec;
  readonly orig: PodTemplateSpec;
  /** Whether upstream takes `raw` and `orig` for equal. */
  readonly equal: boolean;
  readonly cc: number | null;
  readonly hash: string;
  readonly enc: string;
}

const text = await Deno.readTextFile(new URL("data/upstream_templates.jsonl", import.meta.url));
const rows = text.trim().split("\n").map((line) => parseJson(line) as Row);

Deno.test("equalIgnoreHash agrees with upstream on random templates", () => {
  for (const { raw, orig, equal } of rows) {
    assertEquals(equalIgnoreHash(orig, raw), equal, JSON.stringify(raw));
    assertEquals(equalIgnoreHash(raw, orig), equal, JSON.stringify(raw));
  }
  assertEquals(new Set(rows.map((row) => row.equal)).size, 2);
});

Deno.test("encodePodTemplate agrees with upstream on random templates", () => {
  for (const { raw, enc } of rows) assertEquals(canonicalJson(encodePodTemplate(raw)), enc);
});

Deno.test("podTemplateHash agrees with upstream on random templates", () => {
  for (const { raw, cc, hash } of rows) assertEquals(podTemplateHash(raw, cc), hash, JSON.stringify(raw));
});

function template(spec: Record<string, unknown>, labels: Record<string, string> = {}): PodTemplateSpec {
  return { metadata: { labels }, spec: { containers: [], ...spec } };
}

Deno.test("equalIgnoreHash takes templates that differ in cpu 1000m vs 1 and the hash label for equal", () => {
  const cpu = (amount: string) => ({ containers: [{ name: "c", resources: { limits: { cpu: amount } } }] });
  assertEquals(equalIgnoreHash(template(cpu("1000m")), template(cpu("1"), { "pod-template-hash": "5d8" })), true);
  assertEquals(equalIgnoreHash(template(cpu("1001m")), template(cpu("1"))), false);
});

Deno.test("equalIgnoreHash tells securityContext {} of the pod from an absent one", () => {
  assertEquals(equalIgnoreHash(template({ securityContext: {} }), template({})), false);
  assertEquals(equalIgnoreHash(template({ securityContext: {} }), template({ securityContext: {} })), true);
});

Deno.test("equalIgnoreHash takes absent, null and empty lists, maps and structs for equal", () => {
  const containers = (extra: object) => ({ containers: [{ name: "c", ...extra }] });
  const variants = [{}, { env: null, resources: null }, { env: [], resources: {} }, { stdin: false, image: "" }];
  for (const variant of variants) {
    assertEquals(
      equalIgnoreHash(template(containers({})), template(containers(variant))),
      true,
      JSON.stringify(variant),
    );
  }
  assertEquals(equalIgnoreHash({ spec: { containers: [] } }, template({ volumes: [] })), true);
  assertEquals(equalIgnoreHash(undefined, {}), true);
});

Deno.test("equalIgnoreHash tells a pointer to zero from an absent one", () => {
  assertEquals(equalIgnoreHash(template({ terminationGracePeriodSeconds: 0 }), template({})), false);
  assertEquals(equalIgnoreHash(template({ hostNetwork: false }), template({})), true);
  assertEquals(equalIgnoreHash(template({ hostUsers: false }), template({})), false);
});

Deno.test("equalIgnoreHash sees every digit of a 64-bit integer", () => {
  const seconds = (text: string) =>
    parseJson(`{"spec":{"containers":[],"tolerations":[{"tolerationSeconds":${text}}]}}`) as PodTemplateSpec;
  assertEquals(equalIgnoreHash(seconds("9223372036854775807"), seconds("9223372036854775807")), true);
  assertEquals(equalIgnoreHash(seconds("9223372036854775807"), seconds("9223372036854775806")), false);
});

Deno.test("equalIgnoreHash ignores only the hash label, and changes neither template", () => {
  const a = template({}, { "pod-template-hash": "x", app: "a" });
  const b = template({}, { app: "b" });
  assertEquals(equalIgnoreHash(a, b), false);
  assertEquals(a.metadata?.labels, { "pod-template-hash": "x", app: "a" });
});

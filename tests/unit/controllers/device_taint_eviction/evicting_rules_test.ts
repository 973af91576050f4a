import { assertEquals } from "@std/assert";
import { EvictingRules, matchesDevice } from "../../../../src/controllers/device_taint_eviction/evicting_rules.ts";
import { rule } from "./rig.ts";

const ADDRESS = { driver: "x.example.com", pool: "p", device: "d" };
const namesFor = (rules: EvictingRules) => rules.matching(ADDRESS).map(({ metadata }) => metadata!.name!).sort();

const MATCHING = [{}, { driver: "x.example.com" }, { pool: "p" }, { device: "d" }, { ...ADDRESS }];
const OTHERS = [{ driver: "y.example.com" }, { pool: "q" }, { ...ADDRESS, device: "e" }];

Deno.test("EvictingRules: a device has the rules that match it and whose effect is `NoExecute`", () => {
  const rules = new EvictingRules();
  const selectors = [...MATCHING, ...OTHERS];
  for (const [i, selector] of selectors.entries()) rules.change(undefined, rule(`r${i}`, "NoExecute", selector));
  rules.change(undefined, rule("none", "None"));
  const { deviceSelector: _, ...spec } = rule("").spec;
  rules.change(undefined, { metadata: { name: "selects-nothing" }, spec });
  assertEquals(namesFor(rules), ["r0", "r1", "r2", "r3", "r4"]);
  const matching = selectors.filter((selector) => matchesDevice(rule("", "NoExecute", selector), ADDRESS));
  assertEquals(matching, MATCHING);
});

Deno.test("EvictingRules: a rule that is deleted, or no longer evicts, is not found", () => {
  const rules = new EvictingRules();
  for (const name of ["a", "b", "c"]) rules.change(undefined, rule(name));
  rules.change(rule("a"), undefined);
  rules.change(rule("b"), rule("b", "NoSchedule"));
  assertEquals(namesFor(rules), ["c"]);
  rules.change(rule("c"), rule("c", "NoExecute", { pool: "q" }));
  assertEquals(namesFor(rules), []);
});

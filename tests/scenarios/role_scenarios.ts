/** What an administrator does with aggregated ClusterRoles and what must come of it, on any server and under either manager. */
import { CLUSTERROLES } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import { changeRole, ownLabels, role, roleName, rule, untilRules, untilWorkedOff, writeDown } from "./role_kit.ts";
import type { Scenario } from "./scenario.ts";

const YES = { part: "yes" };
const NO = { part: "no" };

const UNION: readonly Scenario[] = [
  {
    name: "role-of-one",
    run: async (kit) => {
      await role(kit, "hammer", { rules: [rule("nails", "get", "list"), rule("wedges")], labels: YES });
      await role(kit, "saw", { rules: [rule("boards")], labels: NO });
      await role(kit, "all", { selects: [YES] });
      await untilRules(kit, "all", "nails", "wedges");
      await writeDown(kit, "all", "hammer");
    },
  },
  {
    name: "role-parts-by-name",
    run: async (kit) => {
      for (const name of ["saw", "Axe", "chisel", "axe-2"]) {
        await role(kit, name, { rules: [rule(name.toLowerCase())], labels: YES });
      }
      await role(kit, "all", { selects: [YES] });
      await untilRules(kit, "all", "axe", "axe-2", "chisel", "saw");
      await writeDown(kit, "all");
    },
  },
  {
    name: "role-selectors-in-order",
    run: async (kit) => {
      await role(kit, "chisel", { rules: [rule("chisels")], labels: YES });
      await role(kit, "hammer", { rules: [rule("hammers")], labels: YES });
      await role(kit, "saw", { rules: [rule("saws")], labels: NO });
      await role(kit, "yes-no", { selects: [YES, NO] });
      await role(kit, "no-yes", { selects: [NO, YES] });
      await untilRules(kit, "yes-no", "chisels", "hammers", "saws");
      await untilRules(kit, "no-yes", "saws", "chisels", "hammers");
      await writeDown(kit, "yes-no", "no-yes");
    },
  },
  {
    name: "role-rules-once",
    run: async (kit) => {
      await role(kit, "a", { rules: [rule("a"), rule("b", "get", "list")], labels: YES });
      await role(kit, "b", { rules: [rule("b", "get", "list"), rule("b", "list", "get")], labels: YES });
      await role(kit, "c", { rules: [rule("a"), rule("c")], labels: NO });
      await role(kit, "all", { selects: [YES, NO, YES] });
      await untilRules(kit, "all", "a", "b", "b", "c");
      await writeDown(kit, "all");
    },
  },
  {
    name: "role-rules-of-all-forms",
    run: async (kit) => {
      const rules = [
        { nonResourceURLs: ["/metrics", "/healthz/*"], verbs: ["get"] },
        { ...rule("a"), resourceNames: ["x", "y"] },
        { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
        { apiGroups: [""], resources: ["pods", "pods/log"], verbs: ["get", "watch"] },
      ];
      await role(kit, "a", { rules, labels: YES });
      await role(kit, "all", { selects: [YES] });
      await untilRules(kit, "all", "/metrics", "/healthz/*", "a", "*", "pods", "pods/log");
      await writeDown(kit, "all");
    },
  },
  {
    name: "role-by-expressions",
    run: async (kit) => {
      await role(kit, "a", { rules: [rule("a")], labels: { tier: "one" } });
      await role(kit, "b", { rules: [rule("b")], labels: { tier: "two" } });
      await role(kit, "c", { rules: [rule("c")], labels: { tier: "three", hidden: "yes" } });
      const [tier] = Object.keys(ownLabels(kit, { tier: "" }));
      const [hidden] = Object.keys(ownLabels(kit, { hidden: "" }));
      const matchExpressions = [
        { key: tier, operator: "In", values: ["one", "three"] },
        { key: hidden, operator: "DoesNotExist" },
      ];
      await kit.client.create(CLUSTERROLES, {
        metadata: { name: roleName(kit, "all") },
        aggregationRule: { clusterRoleSelectors: [{ matchExpressions }] },
      });
      await untilRules(kit, "all", "a");
      await writeDown(kit, "all");
    },
  },
  {
    name: "role-that-selects-itself",
    run: async (kit) => {
      await role(kit, "a", { rules: [rule("a")], labels: YES });
      await role(kit, "all", { rules: [rule("own")], labels: YES, selects: [YES] });
      await untilRules(kit, "all", "a");
      await writeDown(kit, "all");
    },
  },
];

const CHANGES: readonly Scenario[] = [
  {
    name: "role-part-comes-and-goes",
    run: async (kit) => {
      await role(kit, "all", { selects: [YES] });
      await role(kit, "a", { rules: [rule("a")], labels: YES });
      await role(kit, "b", { rules: [rule("b")], labels: YES });
      await untilRules(kit, "all", "a", "b");
      await kit.client.delete(CLUSTERROLES, { name: roleName(kit, "a") });
      await untilRules(kit, "all", "b");
      await changeRole(kit, "b", { rules: [rule("c"), rule("b")] });
      await untilRules(kit, "all", "c", "b");
      await writeDown(kit, "all");
    },
  },
  {
    name: "role-part-loses-its-label",
    run: async (kit) => {
      await role(kit, "a", { rules: [rule("a")], labels: YES });
      await role(kit, "all", { selects: [YES] });
      await untilRules(kit, "all", "a");
      await changeRole(kit, "a", { metadata: { labels: ownLabels(kit, NO) } });
      await untilRules(kit, "all");
      await writeDown(kit, "all");
    },
  },
  {
    name: "role-rules-of-somebody-else-stay",
    run: async (kit) => {
      await role(kit, "all", { rules: [rule("own")], selects: [YES] });
      await untilWorkedOff(kit);
      await writeDown(kit, "all");
    },
  },
  {
    name: "role-edited-by-hand",
    run: async (kit) => {
      await role(kit, "a", { rules: [rule("a"), rule("b")], labels: YES });
      await role(kit, "all", { selects: [YES] });
      await untilRules(kit, "all", "a", "b");
      await changeRole(kit, "all", { rules: [rule("b"), rule("a")] });
      await untilRules(kit, "all", "a", "b");
      await writeDown(kit, "all");
    },
  },
  {
    name: "role-aggregated-no-more",
    run: async (kit) => {
      await role(kit, "a", { rules: [rule("a")], labels: YES });
      await role(kit, "all", { selects: [YES] });
      await untilRules(kit, "all", "a");
      await changeRole(kit, "all", { aggregationRule: null });
      await changeRole(kit, "a", { rules: [rule("b")] });
      await untilWorkedOff(kit);
      await writeDown(kit, "all");
    },
  },
  {
    name: "role-with-another-selector",
    run: async (kit) => {
      await role(kit, "a", { rules: [rule("a")], labels: YES });
      await role(kit, "b", { rules: [rule("b")], labels: NO });
      await role(kit, "all", { selects: [YES] });
      await untilRules(kit, "all", "a");
      const clusterRoleSelectors = [{ matchLabels: ownLabels(kit, NO) }];
      await changeRole(kit, "all", { aggregationRule: { clusterRoleSelectors } });
      await untilRules(kit, "all", "b");
      await writeDown(kit, "all");
    },
  },
];

/** Aggregated roles, each of which selects the one before. */
async function chain(kit: Kit, length: number): Promise<void> {
  for (let i = 1; i <= length; i++) {
    await role(kit, `link-${i}`, {
      labels: { link: String(i) },
      selects: [{ link: String(i - 1) }, { extra: String(i) }],
    });
  }
  await role(kit, "first", { rules: [rule("first")], labels: { link: "0" } });
}

const CHAINS: readonly Scenario[] = [
  {
    name: "role-chain",
    run: async (kit) => {
      await chain(kit, 3);
      await role(kit, "more", { rules: [rule("more")], labels: { extra: "2" } });
      await untilRules(kit, "link-3", "first", "more");
      await kit.client.delete(CLUSTERROLES, { name: roleName(kit, "first") });
      await untilRules(kit, "link-3", "more");
      await writeDown(kit, "link-1", "link-2", "link-3");
    },
  },
  {
    name: "role-chain-of-sixty",
    run: async (kit) => {
      await chain(kit, 60);
      await untilRules(kit, "link-60", "first");
      await writeDown(kit, "link-1", "link-30", "link-60");
    },
  },
  {
    name: "role-circle",
    run: async (kit) => {
      await role(kit, "a", { labels: { circle: "a" }, selects: [{ circle: "b" }, { from: "a" }] });
      await role(kit, "b", { labels: { circle: "b" }, selects: [{ circle: "a" }, { from: "b" }] });
      await role(kit, "of-a", { rules: [rule("x")], labels: { from: "a" } });
      await untilRules(kit, "b", "x");
      await untilRules(kit, "a", "x");
      await kit.client.delete(CLUSTERROLES, { name: roleName(kit, "of-a") });
      await untilWorkedOff(kit);
      await writeDown(kit, "a", "b");
    },
  },
];

/** All of them. */
export const ROLE_SCENARIOS: readonly Scenario[] = [...UNION, ...CHANGES, ...CHAINS];

import { assertEquals, assertRejects } from "@std/assert";
import { type ClusterRole, CLUSTERROLES, type PolicyRule, SelectorError } from "../../../../src/api/mod.ts";
import { syncRole } from "../../../../src/controllers/clusterrole_aggregation/sync.ts";
import { Rig } from "../token_secrets/rig.ts";

const rule = (resource: string, ...verbs: string[]): PolicyRule => ({
  apiGroups: [""],
  resources: [resource],
  verbs: verbs.length > 0 ? verbs : ["get"],
});
const HAMMER = [rule("nails"), rule("wedges")];
const CHISEL = [rule("mortises")];
const SAW = [rule("boards")];
const YES = { foo: "bar" };
const NO = { foo: "not-bar" };

function role(name: string, rules: readonly PolicyRule[], labels: Readonly<Record<string, string>> = YES): ClusterRole {
  return { metadata: { name, uid: name, labels: { ...labels } }, rules: [...rules] };
}

function combined(
  selects: readonly Readonly<Record<string, string>>[],
  rules: readonly PolicyRule[] = [],
  labels: Readonly<Record<string, string>> = {},
): ClusterRole {
  const clusterRoleSelectors = selects.map((matchLabels) => ({ matchLabels: { ...matchLabels } }));
  return { ...role("combined", rules, labels), aggregationRule: { clusterRoleSelectors } };
}

const APPLY = "PATCH clusterroles/combined?fieldManager=clusterrole-aggregation-controller&force=true";

/** The rules that are applied to `combined`; `undefined` if nothing is. */
async function applied(roles: readonly ClusterRole[]): Promise<readonly PolicyRule[] | undefined> {
  using rig = new Rig();
  const lister = await rig.cached(CLUSTERROLES, roles);
  await syncRole("combined", { world: rig.world, client: rig.client, roles: lister });
  if (rig.requests.length === 0) return undefined;
  assertEquals(rig.requests, [APPLY]);
  const { rules = [], ...rest } = rig.bodies[0] as ClusterRole;
  assertEquals(rest, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "combined" },
  });
  return rules;
}

Deno.test("syncRole: rules come in the order of selectors, then of names, each once", async () => {
  const hammer = role("hammer", HAMMER);
  const chisel = role("chisel", CHISEL);
  const saw = role("saw", SAW, NO);
  const all = [saw, hammer, chisel];
  const rows: readonly [string, readonly ClusterRole[], readonly PolicyRule[] | undefined][] = [
    ["one role", [hammer, combined([YES], SAW)], HAMMER],
    ["no role matches", [role("hammer", HAMMER, NO), combined([YES], HAMMER)], []],
    ["two roles of one selector", [...all, combined([YES])], [...CHISEL, ...HAMMER]],
    ["two selectors", [...all, combined([YES, NO])], [...CHISEL, ...HAMMER, ...SAW]],
    [
      "a rule that two roles hold",
      [role("other-saw", SAW, NO), role("saw", SAW), hammer, chisel, combined([YES, NO])],
      [
        ...CHISEL,
        ...HAMMER,
        ...SAW,
      ],
    ],
    ["the selectors the other way around", [...all, combined([NO, YES])], [...SAW, ...CHISEL, ...HAMMER]],
    ["nothing changes", [...all, combined([YES], [...CHISEL, ...HAMMER])], undefined],
    ["it matches its own selector", [...all, combined([YES], SAW, YES)], [...CHISEL, ...HAMMER]],
    ["only the order changes", [...all, combined([YES], [...HAMMER, ...CHISEL])], [...CHISEL, ...HAMMER]],
    ["an empty selector takes all", [...all, combined([{}])], [...CHISEL, ...HAMMER, ...SAW]],
  ];
  for (const [row, roles, rules] of rows) assertEquals(await applied(roles), rules, row);
});

Deno.test("syncRole: the order within a rule counts, and an absent list is an empty one", async () => {
  const parts = [
    role("a", [rule("x", "get", "list")]),
    role("b", [rule("x", "list", "get"), { ...rule("x", "get", "list"), resourceNames: [], nonResourceURLs: [] }]),
  ];
  assertEquals(await applied([...parts, combined([YES])]), [rule("x", "get", "list"), rule("x", "list", "get")]);
});

Deno.test("syncRole: names are sorted by their bytes", async () => {
  const names = ["\ud83d\ude00", "\uffee", "a", "Z"];
  const roles = names.map((name, i) => role(name, [rule(String(i))]));
  using rig = new Rig();
  const lister = await rig.cached(CLUSTERROLES, [...roles, combined([YES])]);
  await syncRole("combined", { world: rig.world, client: rig.client, roles: lister });
  const { rules } = rig.bodies[0] as ClusterRole;
  assertEquals(rules?.map(({ resources }) => resources?.[0]), ["3", "2", "1", "0"]);
});

Deno.test("syncRole: a role that is gone or not aggregated is left alone", async () => {
  assertEquals(await applied([role("hammer", HAMMER), role("combined", SAW)]), undefined);
  assertEquals(await applied([role("hammer", HAMMER)]), undefined);
});

Deno.test("syncRole: an invalid selector fails", async () => {
  const clusterRoleSelectors = [{ matchExpressions: [{ key: "a", operator: "Near", values: ["b"] }] }];
  const odd = { ...role("combined", []), aggregationRule: { clusterRoleSelectors } };
  await assertRejects(() => applied([odd]), SelectorError);
});

Deno.test("syncRole updates where the API server cannot apply, and fails where it refuses", async () => {
  using rig = new Rig();
  const roles = await rig.cached(CLUSTERROLES, [role("hammer", HAMMER), combined([YES], SAW)]);
  const context = { world: rig.world, client: rig.client, roles };
  rig.server.faults.add({ verb: "patch", times: 1, status: { code: 415, reason: "UnsupportedMediaType" } });
  await syncRole("combined", context);
  assertEquals(rig.requests, [APPLY, "PUT clusterroles/combined"]);
  assertEquals((await rig.find(CLUSTERROLES, undefined, "combined"))?.rules, HAMMER);
  rig.server.faults.add({ verb: "patch", status: { code: 403, reason: "Forbidden" } });
  await assertRejects(() => syncRole("combined", context));
});

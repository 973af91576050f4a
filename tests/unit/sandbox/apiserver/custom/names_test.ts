import { assertEquals } from "@std/assert";
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from "../../../../../src/api/mod.ts";
import { decideNames, withCondition } from "../../../../../src/sandbox/apiserver/definitions/names_status.ts";

/** A definition that asks for names and has some of them. */
function definition(
  uid: string,
  names: CustomResourceDefinitionNames,
  acceptedNames?: CustomResourceDefinitionNames,
): CustomResourceDefinition {
  return {
    metadata: { name: `${names.plural}.example.com`, uid },
    spec: { group: "example.com", scope: "Cluster", names, versions: [] },
    status: acceptedNames ? { acceptedNames } : {},
  };
}

const BEES = { plural: "bees", singular: "bee", kind: "Bee", listKind: "BeeList", shortNames: ["b"] };
const holder = definition("1", BEES, BEES);

function conditionsOf(names: CustomResourceDefinitionNames, others = [holder]): string[] {
  const decision = decideNames(definition("2", names), others);
  return decision?.conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`) ??
    [];
}

const WAITING = "Established=False NotAccepted: not all names are accepted";

/** What a second definition asks for, and what it is told. */
const CONFLICTS: ReadonlyArray<readonly [names: Partial<CustomResourceDefinitionNames>, why: string]> = [
  [{ singular: "bee" }, 'SingularConflict: "bee" is already in use'],
  [{ singular: "b" }, 'SingularConflict: "b" is already in use'],
  [{ shortNames: ["b"] }, 'ShortNamesConflict: "b" is already in use'],
  [{ shortNames: ["b", "bee"] }, 'ShortNamesConflict: ["b" is already in use, "bee" is already in use]'],
  [{ kind: "Bee" }, 'KindConflict: "Bee" is already in use'],
  [{ listKind: "BeeList" }, 'ListKindConflict: "BeeList" is already in use'],
];

const WASPS = { plural: "wasps", singular: "wasp", kind: "Wasp", listKind: "WaspList" };

for (const [names, why] of CONFLICTS) {
  Deno.test(`decideNames refuses names that are taken: ${JSON.stringify(names)}`, () => {
    assertEquals(conditionsOf({ ...WASPS, ...names }), [`NamesAccepted=False ${why}`, WAITING]);
  });
}

Deno.test("decideNames gives names that are free, with those that are not left as they were", () => {
  assertEquals(conditionsOf(WASPS), [
    "NamesAccepted=True NoConflicts: no conflicts found",
    "Established=False Installing: the initial names have been accepted",
  ]);
  const decision = decideNames(definition("2", { ...WASPS, kind: "Bee" }), [holder]);
  assertEquals(decision?.acceptedNames, { ...WASPS, kind: "" });
});

Deno.test("decideNames has nothing to decide about names that are accepted already", () => {
  assertEquals(decideNames(holder, [holder]), undefined);
});

Deno.test("decideNames leaves a definition established whatever becomes of its names", () => {
  const established = {
    type: "Established",
    status: "True",
    reason: "InitialNamesAccepted",
    message: "",
    lastTransitionTime: "t",
  };
  const renamed = definition("2", { ...WASPS, shortNames: ["b"] }, WASPS);
  renamed.status!.conditions = [established];
  const conditions = decideNames(renamed, [holder])?.conditions;
  assertEquals(conditions?.map(({ status }) => status), ["False", "True"]);
});

Deno.test("withCondition keeps the time of a condition whose status has not changed", () => {
  const one = withCondition({}, { type: "A", status: "True", reason: "x", message: "" }, "1");
  const two = withCondition(one, { type: "A", status: "True", reason: "y", message: "" }, "2");
  const three = withCondition(two, { type: "A", status: "False", reason: "y", message: "" }, "3");
  const times = [one, two, three].map(({ conditions }) => conditions?.[0].lastTransitionTime);
  assertEquals(times, ["1", "1", "3"]);
});

import type { CustomResourceDefinition, CustomResourceDefinitionNames } from "../../../api/mod.ts";
import { deepCopy, deepEqual } from "../../../base/mod.ts";
import { quote } from "../validation/mod.ts";

type Status = NonNullable<CustomResourceDefinition["status"]>;

export type Condition = NonNullable<Status["conditions"]>[number];

/** A condition without its transition time. */
export type NewCondition = Pick<Condition, "type" | "status" | "reason" | "message">;

const NO_NAMES: CustomResourceDefinitionNames = { plural: "", kind: "" };

function takenNames(others: readonly CustomResourceDefinition[]) {
  const accepted = others.map(({ status }) => status?.acceptedNames ?? NO_NAMES);
  const held = (names: readonly (string | undefined)[]) => new Set(names.filter((name): name is string => !!name));
  return {
    resources: held(accepted.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames])),
    kinds: held(accepted.flatMap(({ kind, listKind }) => [kind, listKind])),
  };
}

/**
 * Decides which of its names a definition gets. Upstream:
 * `apiextensions-apiserver/pkg/controller/status/naming_controller.go`.
 *
 * @param group All definitions of the same group; the definition itself may be among them.
 * @returns `undefined` if there is nothing to decide because the names are already accepted.
 */
export function decideNames(
  { metadata, spec: { names }, status }: CustomResourceDefinition,
  group: readonly CustomResourceDefinition[],
): { readonly acceptedNames: CustomResourceDefinitionNames; readonly conditions: readonly NewCondition[] } | undefined {
  const before = status?.acceptedNames ?? NO_NAMES;
  if (deepEqual(names, before)) return undefined;
  const taken = takenNames(group.filter((other) => other.metadata?.uid !== metadata?.uid));
  const acceptedNames = deepCopy(before);
  let conflict: { reason: string; message: string } | undefined;
  const claim = (field: "plural" | "singular" | "kind" | "listKind", used: ReadonlySet<string>, reason: string) => {
    const name = names[field] ?? "";
    if (name !== before[field] && used.has(name)) conflict = { reason, message: `${quote(name)} is already in use` };
    else acceptedNames[field] = name;
  };
  claim("plural", taken.resources, "PluralConflict");
  claim("singular", taken.resources, "SingularConflict");
  const shortNames = names.shortNames ?? [];
  const clashes = shortNames.filter((name) => !before.shortNames?.includes(name) && taken.resources.has(name));
  if (clashes.length > 0) conflict = { reason: "ShortNamesConflict", message: inUse(clashes) };
  else setList(acceptedNames, "shortNames", shortNames);
  claim("kind", taken.kinds, "KindConflict");
  claim("listKind", taken.kinds, "ListKindConflict");
  setList(acceptedNames, "categories", names.categories ?? []);
  return {
    acceptedNames,
    conditions: [namesCondition(conflict), establishedCondition(status, conflict !== undefined)],
  };
}

function inUse(names: readonly string[]): string {
  const texts = [...new Set(names)].map((name) => `${quote(name)} is already in use`);
  return texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
}

function setList(
  names: CustomResourceDefinitionNames,
  field: "shortNames" | "categories",
  list: readonly string[],
): void {
  if (list.length > 0) names[field] = [...list];
  else delete names[field];
}

function namesCondition(conflict: { reason: string; message: string } | undefined): NewCondition {
  if (conflict) return { type: "NamesAccepted", status: "False", ...conflict };
  return { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };
}

/** Once established, a definition stays established, whatever happens to its names. */
function establishedCondition(status: Status | undefined, hasConflict: boolean): NewCondition {
  const before = status?.conditions?.find(({ type }) => type === "Established");
  if (before?.status === "True" || (before && hasConflict)) return before;
  return hasConflict
    ? { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }
    : { type: "Established", status: "False", reason: "Installing", message: "the initial names have been accepted" };
}

/** The condition that follows once names are accepted. Upstream: `pkg/controller/establish`. */
export const ESTABLISHED: NewCondition = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};

/** `status` with `condition`, whose transition time is `now` only if its status changed. Upstream: SetCRDCondition. */
export function withCondition(status: Status, condition: NewCondition, now: string): Status {
  const conditions = status.conditions ?? [];
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = old?.status === condition.status && old.lastTransitionTime ? old.lastTransitionTime : now;
  const { type, status: value, reason, message } = condition;
  const written: Condition = { type, status: value, lastTransitionTime, reason, message };
  return {
    ...status,
    conditions: old ? conditions.map((one) => one === old ? written : one) : [...conditions, written],
  };
}

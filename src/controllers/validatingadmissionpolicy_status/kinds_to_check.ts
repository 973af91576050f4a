import type { NamedRuleWithOperations, ValidatingAdmissionPolicy } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import type { ServedKind } from "../../client/mod.ts";
import type { PolicyContext } from "./context.ts";

/** Once a rule has named this many kinds, the search ends. */
const ENOUGH_OF_A_RULE = 10;
/** Upstream has no such limit, although there may be many rules with fewer than ten kinds each. */
const MOST_KINDS = 32;

/**
 * The kinds that a policy applies to, in order, as far as its rules name them without wildcards.
 *
 * Upstream: typesToCheck of `apiserver/pkg/admission/plugin/policy/validating/typechecking.go`.
 */
export async function kindsToCheck(
  { metadata, spec }: ValidatingAdmissionPolicy,
  { mapper, world: { log } }: Pick<PolicyContext, "mapper" | "world">,
): Promise<readonly ServedKind[]> {
  const kinds = new Map<string, ServedKind>();
  let mayReset = true;
  const lookUp = async (query: { readonly group: string; readonly version: string; readonly resource: string }) => {
    try {
      const found = await mapper.kindsFor(query);
      if (found.length > 0 || !mayReset) return found;
    } catch (error) {
      log.verbose(2, "Kinds could not be looked up", { ...query, err: errorText(error) });
      if (!mayReset) return [];
    }
    mayReset = false;
    mapper.reset();
    try {
      return await mapper.kindsFor(query);
    } catch {
      return []; // already listed
    }
  };
  for (const rule of spec?.matchConstraints?.resourceRules ?? []) {
    let ofRule = 0;
    for (const query of combinations(rule)) {
      for (const kind of await lookUp(query)) {
        kinds.set(`${kind.group}/${kind.version}/${kind.kind}`, kind);
        if (++ofRule === ENOUGH_OF_A_RULE) return inOrder(kinds);
      }
      if (kinds.size >= MOST_KINDS) {
        log.info("Expressions are checked against some of the policy's kinds", {
          policy: metadata?.name,
          most: MOST_KINDS,
        });
        return inOrder(kinds);
      }
    }
  }
  return inOrder(kinds);
}

function* combinations({ apiGroups = [], apiVersions = [], resources = [] }: NamedRuleWithOperations) {
  const hasWildcard = (names: readonly string[]) => names.some((name) => name.includes("*"));
  if (hasWildcard(apiGroups) || hasWildcard(apiVersions)) return;
  const whole = resources.filter((resource) => !/[*/]/.test(resource)).sort();
  for (const group of [...apiGroups].sort()) {
    for (const version of [...apiVersions].sort()) for (const resource of whole) yield { group, version, resource };
  }
}

function inOrder(kinds: ReadonlyMap<string, ServedKind>): readonly ServedKind[] {
  const compare = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;
  return [...kinds.values()].sort((a, b) =>
    compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind)
  );
}

/** What scenarios of aggregated roles begin with. Roles are in no namespace: their names begin with the scenario's. */
import { type ClusterRole, CLUSTERROLES, CONFIGMAPS, type PolicyRule } from "../../src/api/mod.ts";
import { isNotFound } from "../../src/client/mod.ts";
import type { Kit } from "./kit.ts";

/** A rule that lets somebody do something with an imaginary kind. */
export function rule(resource: string, ...verbs: string[]): PolicyRule {
  return { apiGroups: ["example.com"], resources: [resource], verbs: verbs.length > 0 ? verbs : ["get"] };
}

export interface RoleParts {
  readonly rules?: PolicyRule[];
  /** What it is selected by, of this scenario's own. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What it selects; it is no aggregated role without. */
  readonly selects?: readonly Readonly<Record<string, string>>[];
}

/** Labels that no other scenario's selectors take. */
export function ownLabels({ namespace }: Kit, labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [`${namespace}/${key}`, value]));
}

export function roleName({ namespace }: Kit, name: string): string {
  return `${namespace}:${name}`;
}

export async function role(kit: Kit, name: string, { rules, labels = {}, selects }: RoleParts): Promise<void> {
  const clusterRoleSelectors = selects?.map((each) => ({ matchLabels: ownLabels(kit, each) }));
  await kit.client.create(CLUSTERROLES, {
    metadata: { name: roleName(kit, name), labels: ownLabels(kit, labels) },
    rules: rules ?? [],
    ...clusterRoleSelectors ? { aggregationRule: { clusterRoleSelectors } } : {},
  });
}

export function getRole(kit: Kit, name: string): Promise<ClusterRole> {
  return kit.client.get(CLUSTERROLES, { name: roleName(kit, name) });
}

export async function changeRole(kit: Kit, name: string, body: object): Promise<void> {
  await kit.client.patch(CLUSTERROLES, { name: roleName(kit, name) }, { type: "merge", body });
}

/** Waits until a role has rules for just these kinds, in this order. */
export async function untilRules(kit: Kit, name: string, ...resources: string[]): Promise<void> {
  // Any object of the namespace will do to be waited with.
  await kit.untilAll(CONFIGMAPS, `role ${name} has rules for ${resources}`, async () => {
    const { rules } = await getRole(kit, name);
    return String((rules ?? []).flatMap((each) => each.resources ?? each.nonResourceURLs ?? [])) === String(resources);
  });
}

/** Waits until what was done before has been worked off. */
export async function untilWorkedOff(kit: Kit): Promise<void> {
  await role(kit, "zz-part", { rules: [rule("lasts")], labels: { last: "yes" } });
  await role(kit, "zz-whole", { selects: [{ last: "yes" }] });
  await untilRules(kit, "zz-whole", "lasts");
}

/** Writes down what has become of roles, where it is compared, and deletes them. */
export async function writeDown(kit: Kit, ...names: string[]): Promise<void> {
  const data: Record<string, string> = {};
  for (const name of names) {
    const found = await getRole(kit, name).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    const managers = found?.metadata?.managedFields?.map(({ manager, operation, fieldsV1 }) =>
      `${manager} ${operation} ${JSON.stringify(fieldsV1)}`
    );
    data[name] = JSON.stringify({
      rules: found?.rules ?? "none",
      aggregationRule: found?.aggregationRule ?? "none",
      labels: found?.metadata?.labels ?? {},
      managers: managers?.filter((each) => !each.startsWith("cluster-tests") && !each.startsWith("test ")).sort(),
    });
  }
  const metadata = { name: "outcome" };
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
  const { items } = await kit.client.list(CLUSTERROLES);
  for (const { metadata: of } of items) {
    if (of?.name?.startsWith(`${kit.namespace}:`)) await kit.client.delete(CLUSTERROLES, { name: of.name });
  }
}

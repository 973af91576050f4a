/** What scenarios of nodes' ranges begin with, and what they write down of nodes, which belong to no namespace. */
import { CONFIGMAPS, EVENTS, type Node, NODES } from "../../src/api/mod.ts";
import { parseCidr } from "../../src/controllers/address_ranges/mod.ts";
import type { Kit } from "./kit.ts";

/** Which of the blocks of one of a node's ranges: counted from the beginning of the address space. */
function blockNumber(cidr: string): bigint {
  const { family, base, prefix } = parseCidr(cidr);
  return base >> BigInt((family === 4 ? 32 : 128) - prefix);
}

/** The name of a node of this scenario alone. */
export function named(kit: Kit, name: string): string {
  return `${kit.namespace}-${name}`;
}

/** Registers a node as its kubelet would, with what somebody else gave it. */
export async function register(kit: Kit, name: string, podCIDRs?: readonly string[]): Promise<void> {
  const spec = podCIDRs && { podCIDR: podCIDRs[0], podCIDRs: [...podCIDRs] };
  await kit.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: named(kit, name) }, spec });
}

/** Waits until a node has ranges, and gives them. */
export async function untilRanged(kit: Kit, name: string): Promise<readonly string[]> {
  const { spec } = await kit.until(NODES, named(kit, name), "has ranges", ({ spec }) => spec?.podCIDRs?.length);
  return spec!.podCIDRs!;
}

/** Registers nodes one after the other, each when the one before has its ranges. */
export async function registerInTurn(kit: Kit, ...names: string[]): Promise<(readonly string[])[]> {
  const ranges: (readonly string[])[] = [];
  for (const name of names) {
    await register(kit, name);
    ranges.push(await untilRanged(kit, name));
  }
  return ranges;
}

export async function remove(kit: Kit, ...names: string[]): Promise<void> {
  for (const name of names) await kit.client.delete(NODES, { name: named(kit, name) });
  for (const name of names) await kit.untilGone(NODES, named(kit, name));
}

/** Waits until a node's event has this reason. */
export async function untilNodeEvent(kit: Kit, name: string, reason: string): Promise<void> {
  await kit.until(NODES, named(kit, name), `has an event that says ${reason}`, async () => {
    const { items } = await kit.client.list(EVENTS, { namespace: "default" });
    return items.some(({ involvedObject, reason: said }) =>
      involvedObject?.name === named(kit, name) && said === reason
    );
  });
}

/** The same block so many blocks further on. */
export function further(cidr: string, blocks: number): string {
  const { family, base, prefix } = parseCidr(cidr);
  const bits = family === 4 ? 32 : 128;
  const address = base + (BigInt(blocks) << BigInt(bits - prefix));
  if (family === 4) return `${[24n, 16n, 8n, 0n].map((shift) => address >> shift & 255n).join(".")}/${prefix}`;
  const groups = Array.from({ length: 8 }, (_, i) => (address >> BigInt(16 * (7 - i)) & 0xffffn).toString(16));
  return `${groups.join(":").replace(/(:0)+$/, "::")}/${prefix}`;
}

export interface Conclusion {
  /** Whether the ranges that are given to anybody are written down, instead of each node's beside the first node's. */
  readonly absolute?: boolean;
  /** What else there is to say. */
  readonly notes?: Readonly<Record<string, string>>;
}

/**
 * Writes down in the scenario's namespace what its nodes have come to, and removes them: how many blocks each of their ranges lies
 * behind the one of the first node, who wrote them, and which events tell of them.
 */
export async function conclude(kit: Kit, { absolute = false, notes = {} }: Conclusion = {}): Promise<void> {
  const { items } = await kit.client.list(NODES, {});
  const nodes = items.filter(({ metadata }) => metadata?.name?.startsWith(`${kit.namespace}-`))
    .sort((a, b) => a.metadata!.name! < b.metadata!.name! ? -1 : 1);
  const origin = nodes.find(({ spec }) => spec?.podCIDRs)?.spec?.podCIDRs ?? [];
  const data: Record<string, string> = { ...notes };
  for (const { metadata, spec, ...node } of nodes) {
    const ranges = (spec?.podCIDRs ?? []).map((cidr, i) =>
      absolute ? "" : `/${parseCidr(cidr).prefix}+${blockNumber(cidr) - blockNumber(origin[i] ?? cidr)}`
    );
    const name = metadata!.name!;
    data[name.slice(kit.namespace.length + 1)] = JSON.stringify({
      ranges,
      isFirst: spec?.podCIDR === spec?.podCIDRs?.[0],
      fields: fieldsOf({ metadata, spec, ...node }),
    });
  }
  if (absolute) data.ranges = nodes.flatMap(({ spec }) => spec?.podCIDRs ?? []).sort().join();
  const { items: events } = await kit.client.list(EVENTS, { namespace: "default" });
  const told = events.filter(({ involvedObject }) => involvedObject?.name?.startsWith(`${kit.namespace}-`))
    .map(({ involvedObject, type, reason, message, source, reportingComponent }) =>
      `${involvedObject?.apiVersion} ${involvedObject?.kind} ${involvedObject?.name} ${involvedObject?.resourceVersion} ` +
      `${type} ${reason} ${message} ${source?.component} ${reportingComponent}`
    );
  data.events = [...new Set(told)].sort().join("\n");
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seen" }, data });
  await remove(kit, ...nodes.map(({ metadata }) => metadata!.name!.slice(kit.namespace.length + 1)));
}

/** What the manager owns of a node. */
function fieldsOf({ metadata, spec }: Node): string {
  const own = (metadata?.managedFields ?? []).filter(({ manager }) => manager === "kube-controller-manager")
    .map(({ operation, subresource, fieldsV1 }) => JSON.stringify([operation, subresource, fieldsV1]));
  return (spec?.podCIDRs ?? []).reduce((text, cidr, i) => text.replaceAll(cidr, `<range ${i}>`), own.join());
}

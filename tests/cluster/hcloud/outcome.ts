/** What a manager leaves behind of a scenario, in a form in which two managers' can be compared. */
import type { Node, Service } from "../../../src/api/mod.ts";
import type { Seen } from "../../emulators/hcloud/emulator.ts";
import type { Thing } from "../../emulators/hcloud/state.ts";
import type { HcloudBed } from "./bed.ts";

export interface Outcome {
  /** Calls in order, but for those that managers make again and again: servers, networks, locations. */
  readonly calls: readonly string[];
  /** Nodes and Services. */
  readonly objects: readonly unknown[];
  /** What there is in the cloud. */
  readonly resources: readonly Thing[];
  /** Who was told what: `Warning UnsupportedProtocolConfigured Service/web`. */
  readonly events: readonly string[];
}

export async function outcomeOf(bed: HcloudBed): Promise<Outcome> {
  const services = await bed.services();
  const objects = [...(await bed.nodes()).map(nodeOutcome), ...services.map(serviceOutcome)];
  const events = (await bed.events()).map(({ type, reason, involvedObject }) =>
    `${type} ${reason} ${involvedObject.kind}/${involvedObject.name}`
  );
  const resources = [
    ...[...bed.project.networks.values()].map((network): Thing => ({ kind: "network", ...network })),
    ...[...bed.project.balancers.values()].map((balancer): Thing => ({ kind: "load_balancer", ...balancer })),
    ...[...bed.project.certificates.values()].map((certificate): Thing => ({ kind: "certificate", ...certificate })),
  ];
  const outcome = {
    calls: bed.calls.map(textOf),
    objects,
    resources: resources.map(sorted),
    events: [...new Set(events)].sort(),
  };
  return named(outcome, bed.uids, bed);
}

function nodeOutcome({ metadata, spec, status }: Node): unknown {
  return {
    kind: "Node",
    name: metadata?.name,
    labels: metadata?.labels,
    spec,
    addresses: status?.addresses,
    conditions: status?.conditions?.map(({ type, status, reason }) => ({ type, status, reason })),
  };
}

function serviceOutcome({ metadata, spec, status }: Service): unknown {
  const { clusterIP: _, clusterIPs: __, healthCheckNodePort: ___, ...rest } = spec ?? {};
  return {
    kind: "Service",
    name: metadata?.name,
    annotations: metadata?.annotations,
    finalizers: metadata?.finalizers,
    spec: rest,
    status,
  };
}

function textOf({ method, path, query, body }: Seen): string {
  return `${method} ${path}${query}${body === undefined ? "" : ` ${JSON.stringify(body)}`}`;
}

/** Lists whose order means nothing. */
function sorted(thing: Thing): Thing {
  const result = { ...thing };
  for (const key of ["services", "targets", "routes"]) {
    if (result[key]) result[key] = [...result[key]].sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  }
  return result;
}

/** IDs and addresses that depend on the order of calls, and UIDs, by names instead. */
function named(outcome: Outcome, uids: ReadonlyMap<string, string>, { project }: HcloudBed): Outcome {
  let text = JSON.stringify(outcome);
  for (const [uid, name] of uids) {
    text = text.replaceAll(uid, `UID-${name}`).replaceAll(`a${uid.replaceAll("-", "")}`.slice(0, 32), `NAME-${name}`);
  }
  for (const [i, id] of [...bedIds(outcome)].entries()) {
    const known = project.balancers.get(id);
    const { ipv4, ipv6 } = known?.public_net ?? {
      ipv4: { ip: `203.0.113.${id % 256}`, dns_ptr: `static.${id}.example` },
      ipv6: { ip: `2001:db8:ffff::${id.toString(16)}`, dns_ptr: `static6.${id}.example` },
    };
    const names: readonly [string, string][] = [
      [`"${ipv4.ip}"`, `"IPV4-${i}"`],
      [`"${ipv6.ip}"`, `"IPV6-${i}"`],
      [`"${ipv4.dns_ptr}"`, `"PTR4-${i}"`],
      [`"${ipv6.dns_ptr}"`, `"PTR6-${i}"`],
      [`"10.0.255.${id % 256}"`, `"PRIVATE-${i}"`],
      [`"id":${id},`, `"id":${i},`],
      [`"load_balancers":[${id}]`, `"load_balancers":[${i}]`],
      [`/load_balancers/${id}`, `/load_balancers/${i}`],
    ];
    for (const [from, to] of names) text = text.replaceAll(from, to);
  }
  text = text.replaceAll(/\/actions\/\d+/g, "/actions/ID").replaceAll(/([?&]id=)\d+/g, "$1ID");
  return JSON.parse(text) as Outcome;
}

/** Balancers in the order in which they came. */
function bedIds({ calls, resources }: Outcome): Set<number> {
  const inCalls = calls.flatMap((call) => [...call.matchAll(/\/load_balancers\/(\d+)/g)].map(([, id]) => Number(id)));
  const there = resources.filter(({ kind }) => kind === "load_balancer").map(({ id }) => id as number);
  return new Set([...inCalls, ...there].sort((a, b) => a - b));
}

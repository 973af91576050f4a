import { FakeWorld } from "../../../../src/base/mod.ts";
import { amountsText, type ExtendedDevices, parseAmounts, quotaEvaluator } from "../../../../src/rules/mod.ts";
import {
  type KubeObject,
  type Pod,
  type Resource,
  type ResourceQuota,
  RESOURCEQUOTAS,
  type ResourceQuotaStatus,
} from "../../../../src/api/mod.ts";
import { Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "../../../../src/cache/mod.ts";
import type { CountedKind } from "../../../../src/controllers/resourcequota/evaluators.ts";
import { syncQuota } from "../../../../src/controllers/resourcequota/sync.ts";
import { RecordedClient } from "../recorded_client.ts";

export type Hard = Readonly<Record<string, string>>;

/** An object as a test writes it. */
// deno-lint-ignore no-explicit-any -- objects of many kinds are written alike
export type Loose = any;

/** A container that asks for this. */
export function container(requests: Hard = {}, limits: Hard = {}, more: Loose = {}): Loose {
  return { name: "c", resources: { requests, limits }, ...more };
}

/** A running pod in namespace `a`. */
export function pod(name: string, containers: Loose[] = [container()], { spec, status, ...metadata }: Loose = {}): Pod {
  return {
    metadata: { namespace: "a", name, uid: name, ...metadata },
    spec: { containers, ...spec },
    status: { phase: "Running", ...status },
  };
}

/** The quota `a/q`; with a status that says that nothing is used, unless told otherwise. */
export function quota(hard: Hard, { spec, status, ...metadata }: Loose = {}): ResourceQuota {
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
  return {
    metadata: { namespace: "a", name: "q", resourceVersion: "1", ...metadata },
    spec: { hard, ...spec },
    status: status === null ? {} : { hard, used, ...status },
  };
}

/** A kind of which these objects are there, or which cannot be listed for this reason. */
export function kind(
  resource: Pick<Resource, "group" | "plural">,
  objects: readonly Loose[] | Error,
  devices?: ExtendedDevices,
): CountedKind {
  return {
    evaluator: quotaEvaluator(resource, { devices }),
    list() {
      if (objects instanceof Error) throw objects;
      return objects as KubeObject[];
    },
  };
}

/** What came of a sync. */
export interface Synced {
  /** The status that was sent; `undefined` if none was. */
  readonly status?: ResourceQuotaStatus;
  /** Its usage in one line. */
  readonly used?: string;
  readonly error?: string;
  readonly client: RecordedClient;
}

/** Syncs a quota in a namespace with these objects. */
export async function sync(
  cached: ResourceQuota | undefined,
  kinds: readonly CountedKind[],
  { world = new FakeWorld(), client = new RecordedClient() } = {},
): Promise<Synced> {
  const quotas = new Indexer<ResourceQuota>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  if (cached) {
    quotas.add(client.find(RESOURCEQUOTAS, "a/q") ? cached : client.store(RESOURCEQUOTAS, cached)[0]);
  }
  let error: string | undefined;
  try {
    await syncQuota("a/q", { world, client, quotas: new Lister(quotas), evaluators: { all: kinds } });
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  const status = client.bodies<ResourceQuota>("put resourcequotas/status a/q")[0]?.status;
  return { status, used: status && amountsText(parseAmounts(status.used)), error, client };
}

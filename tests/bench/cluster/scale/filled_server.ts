// deno-lint-ignore-file no-console -- whoever waits may see how it goes
import { ENDPOINTSLICES, NAMESPACES, SERVICEACCOUNTS } from "../../../../src/api/mod.ts";
import { ControlPlane } from "../../../controlplane/control_plane.ts";
import { startManager } from "../../../controlplane/manager.ts";
import { eventually } from "../../../controlplane/process.ts";
import { clientOf } from "../../../cluster/cluster.ts";
import { count, makeNamespace, PATIENCE, sleepS } from "../loads/kit.ts";
import { requestsOf } from "../requests.ts";
import { renewLease } from "./churn.ts";
import { fill } from "./fill.ts";
import { PROBES } from "./latency.ts";
import type { Population } from "./population.ts";
import { CLUSTER_FLAGS, LARGE_SERVER } from "./run.ts";
import { Steady } from "./steady.ts";

/** What a server has stored. */
export interface FilledServer extends AsyncDisposable {
  /** The folder. */
  readonly data: string;
}

/** Writes by the manager within {@link LOOK_S} that still count as nothing to do. */
const FEW_WRITES = 20;
const LOOK_S = 5;

/**
 * The data of a server with this population on which upstream's manager has nothing left to do: it made the EndpointSlices.
 *
 * @param kept A folder to keep the data in; where it is there already, it is taken as it is.
 */
export async function filledServer(
  population: Population,
  { renewEveryS }: { readonly renewEveryS: number },
  kept?: string,
): Promise<FilledServer> {
  if (kept && await Deno.stat(kept).catch(() => undefined)) {
    return { data: kept, [Symbol.asyncDispose]: async () => {} };
  }
  const folder = kept ? undefined : await Deno.makeTempDir({ prefix: "kubeloop-scale-" });
  const data = kept ?? `${folder}/etcd`;
  await fillInto(data, population, renewEveryS);
  return {
    data,
    [Symbol.asyncDispose]: async () => {
      if (folder) await Deno.remove(folder, { recursive: true });
    },
  };
}

async function fillInto(data: string, population: Population, renewEveryS: number): Promise<void> {
  const began = performance.now();
  const say = (what: string) => console.error(`${((performance.now() - began) / 1000).toFixed(0)} s: ${what}`);
  await using plane = await ControlPlane.start({ apiserverFlags: LARGE_SERVER });
  const { client } = await clientOf(plane.kubeconfig);
  await fill(plane, client, population);
  await makeNamespace(client, PROBES);
  say("the server is filled");
  {
    await using _leases = new Steady(population.nodes / renewEveryS, renewLease(client, population));
    const { process } = await startManager(plane, "upstream", { flags: CLUSTER_FLAGS });
    const hasSlices = async () => await count(client, ENDPOINTSLICES) >= population.services;
    await eventually("all Services have their slices", hasSlices, { ...PATIENCE, withinMs: 900_000, everyMs: 1000 });
    say("all Services have their slices");
    await untilNothingIsWritten(plane, population.nodes / renewEveryS * LOOK_S);
    await process.stop();
  }
  const [namespaces, accounts] = [await count(client, NAMESPACES), await count(client, SERVICEACCOUNTS)];
  if (accounts < namespaces) throw new Error(`${namespaces} namespaces have ${accounts} ServiceAccounts`);
  await plane.saveData(data);
  say(`the data is in ${data}`);
}

async function untilNothingIsWritten(plane: ControlPlane, renewals: number): Promise<void> {
  const writes = async () => {
    const { POST = 0, PUT = 0, PATCH = 0, DELETE = 0 } = requestsOf(await plane.ask("/metrics") ?? "");
    return POST + PUT + PATCH + DELETE;
  };
  for (let before = await writes();;) {
    await sleepS(LOOK_S);
    const now = await writes();
    if (now - before < renewals * 1.2 + FEW_WRITES) return;
    before = now;
  }
}

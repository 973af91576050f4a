import { DEPLOYMENTS, PODS } from "../../../../src/api/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import { eventually } from "../../../controlplane/process.ts";
import { deployment } from "../../../scenarios/kit.ts";
import { count } from "../loads/kit.ts";

/** Where nothing else happens. */
export const PROBES = "probes";
/** A manager that has fallen behind at 150,000 pods takes minutes. */
const PATIENCE = { withinMs: 900_000, everyMs: 20 };

/** Makes a Deployment of one pod and waits for the pod: seconds. */
export async function secondsToPod(client: Client): Promise<number> {
  const before = await count(client, PODS, PROBES);
  const began = performance.now();
  const name = `probe-${crypto.randomUUID().slice(0, 8)}`;
  await client.createMetadata(DEPLOYMENTS, deployment(name, { replicas: 1 }), { namespace: PROBES });
  const isThere = async () => await count(client, PODS, PROBES) > before;
  await eventually(`${name} has its pod`, isThere, PATIENCE);
  return (performance.now() - began) / 1000;
}

import { Harness, type Loose, PODS } from "../harness.ts";

export const CORE = "/api/v1/namespaces/default";
export const CLAIMS = `${CORE}/persistentvolumeclaims`;
export const QUOTAS = `${CORE}/resourcequotas`;

/** A server whose namespace `default` has its account. */
export async function readyHarness(): Promise<Harness> {
  const api = new Harness();
  await api.account("default");
  return api;
}

export function container(resources: Loose = {}, name = "c"): Loose {
  return { name, image: "nginx:1", resources };
}

export function podOf(name: string, ...containers: Loose[]): Loose {
  return { metadata: { name }, spec: { containers } };
}

export function claim(name: string, storage: string, spec: Loose = {}): Loose {
  return {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...spec },
  };
}

/** Creates a quota of which nothing is used, as its controller would have left it. */
export async function makeQuota(api: Harness, hard: Record<string, string>, spec: Loose = {}): Promise<void> {
  await api.post(QUOTAS, { metadata: { name: "q" }, spec: { hard, ...spec } });
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
  await api.patch(`${QUOTAS}/q/status`, { status: { hard, used } });
}

/** What the quota's status says is used. */
export async function usedOf(api: Harness): Promise<Record<string, string>> {
  return (await api.get(`${QUOTAS}/q`)).body.status.used;
}

/** Creates a pod and says what came of it: its name, or why it was refused. */
export async function tryPod(api: Harness, pod: Loose): Promise<string> {
  const { body } = await api.post(PODS, pod);
  return body.kind === "Pod" ? body.metadata.name : body.message;
}

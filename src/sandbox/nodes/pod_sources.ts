import { type ConfigMap, CONFIGMAPS, type Pod, type Secret, SECRETS } from "../../api/mod.ts";
import { type Client, isNotFound, StatusError } from "../../client/mod.ts";
import { containersOf } from "./plan.ts";
import { type PodRuntime, runOf } from "./pod_runtime.ts";
import { environmentReferences, pullSecretNames, type Reference, volumeReferences } from "./references.ts";

/** Which missing ConfigMaps and Secrets keep what from starting, and why. */
export interface SourceProblems {
  readonly volumes: ReadonlyMap<string, string>;
  readonly environments: ReadonlyMap<string, string>;
  /** The names of missing image pull Secrets. */
  readonly pullSecrets: readonly string[];
}

/** Nothing is missing. */
export const NO_PROBLEMS: SourceProblems = { volumes: new Map(), environments: new Map(), pullSecrets: [] };

/** The keys of an object, or why it cannot be read. */
type Found = { readonly text: ReadonlySet<string>; readonly binary: ReadonlySet<string> } | {
  readonly why: string;
  readonly isMissing: boolean;
};

/**
 * Reads the ConfigMaps and Secrets that a pod refers to, as its kubelet does before it starts containers. Each is read
 * by itself; nothing is watched or kept.
 *
 * Upstream: `pkg/kubelet/kubelet_pods.go` (makeEnvironmentVariables, getPullSecretsForPod), `pkg/volume/configmap`,
 * `secret`, `projected` (MakePayload).
 */
export class PodSources {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * What keeps a pod's volumes and containers from starting.
   *
   * @throws {Error} If the API server cannot be reached.
   */
  async problemsOf(pod: Pod, runtime: PodRuntime, signal: AbortSignal): Promise<SourceProblems> {
    const { namespace = "" } = pod.metadata ?? {};
    const found = new Map<string, Promise<Found>>();
    const read = ({ kind, name }: Pick<Reference, "kind" | "name">) => {
      const key = `${kind}/${name}`;
      let reading = found.get(key);
      if (!reading) found.set(key, reading = this.#read(kind, { namespace, name }, signal));
      return reading;
    };
    const problem = async (reference: Reference, inVolume: boolean) =>
      problemOf(reference, await read(reference), { namespace, inVolume });
    const volumes = new Map<string, string>();
    const pullSecrets: string[] = [];
    if (runtime.sandboxMs === undefined) {
      for (const volume of pod.spec?.volumes ?? []) {
        const whys = [];
        for (const reference of volumeReferences(volume)) whys.push(await problem(reference, true));
        const found = whys.filter((why) => why !== undefined);
        if (found.length > 0) volumes.set(volume.name, found.length === 1 ? found[0] : `[${found.join(", ")}]`);
      }
      for (const name of pullSecretNames(pod)) {
        if ("why" in await read({ kind: "Secret", name })) pullSecrets.push(name);
      }
    }
    const environments = new Map<string, string>();
    if (volumes.size > 0) return { volumes, environments, pullSecrets };
    for (const { container } of containersOf(pod)) {
      if (runOf(runtime.containers, container).state.kind === "running") continue;
      for (const reference of environmentReferences(container)) {
        const why = await problem(reference, false);
        if (why === undefined) continue;
        environments.set(container.name, why);
        break;
      }
    }
    return { volumes, environments, pullSecrets };
  }

  async #read(
    kind: Reference["kind"],
    ref: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<Found> {
    try {
      const { data = {}, binaryData = {} }: ConfigMap & Secret = kind === "ConfigMap"
        ? await this.#client.get(CONFIGMAPS, ref, { signal })
        : await this.#client.get(SECRETS, ref, { signal });
      return { text: new Set(Object.keys(data)), binary: new Set(Object.keys(binaryData)) };
    } catch (error) {
      if (isNotFound(error)) {
        return { why: `${kind.toLowerCase()} ${JSON.stringify(ref.name)} not found`, isMissing: true };
      }
      if (error instanceof StatusError) return { why: error.message, isMissing: false };
      throw error;
    }
  }
}

function problemOf(
  { kind, name, isOptional, keys }: Reference,
  found: Found,
  { namespace, inVolume }: { readonly namespace: string; readonly inVolume: boolean },
): string | undefined {
  if ("why" in found) return isOptional && found.isMissing ? undefined : found.why;
  const missing = isOptional
    ? undefined
    : keys.find((key) => !found.text.has(key) && !(inVolume && found.binary.has(key)));
  if (missing === undefined) return undefined;
  if (!inVolume) return `couldn't find key ${missing} in ${kind} ${namespace}/${name}`;
  return kind === "ConfigMap"
    ? `configmap references non-existent config key: ${missing}`
    : `references non-existent secret key: ${missing}`;
}

/** Whether the pod's ConfigMaps and Secrets matter at `nowMs`, because something may start then. */
export function dependsOnSources(pod: Pod, runtime: PodRuntime, nowMs: number): boolean {
  const { hasEnded, stopping, containers, sandboxMs, lookMs = nowMs } = runtime;
  if (hasEnded || stopping || pod.metadata?.deletionTimestamp) return false;
  if (sandboxMs === undefined) {
    if (lookMs > nowMs) return false;
    if (pullSecretNames(pod).length > 0) return true;
    if ((pod.spec?.volumes ?? []).some((volume) => volumeReferences(volume).length > 0)) return true;
  }
  return containersOf(pod).some(({ role, container }) => {
    const { state } = runOf(containers, container);
    const isDone = state.kind === "running" || role === "init" && state.kind === "terminated" && state.exitCode === 0;
    return !isDone && environmentReferences(container).length > 0;
  });
}

import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
} from "../../api/mod.ts";
import { Deferred, sleep, type TurnBudget, type World } from "../../base/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { VolumeView } from "./cluster_state.ts";
import type { PodInfo } from "./pod_info.ts";
import type { StaticVolumes } from "./static_volumes.ts";
import { isBound, SELECTED_NODE_ANNOTATION } from "./volume_binding.ts";

export interface BinderOptions {
  readonly world: World;
  readonly client: Client;
  readonly volumes: VolumeView;
  readonly budget: TurnBudget;
}

export interface Placement {
  readonly pod: PodInfo;
  readonly node: string;
  /** Claims whose volumes must be provisioned first. */
  readonly waiting: readonly PersistentVolumeClaim[];
  /** Existing volumes for some of the claims. */
  readonly volumes?: StaticVolumes;
  /** Whether the pod should still be bound to the node. */
  isWanted(): boolean;
}

/** How long a pod waits for its volumes before another node is chosen. Upstream: `bindTimeoutSeconds`. */
const VOLUMES_MS = 600_000;

/**
 * Binds pods to nodes: reserves existing volumes, has the missing ones provisioned, then posts the binding with the
 * pod's uid.
 *
 * Contract:
 * 1. A pod is bound only when all its claims are.
 * 2. The wait ends without a binding after ten minutes, when a provisioner has given up (it removes the annotation),
 *    when the pod is gone, or when the signal aborts.
 */
export class Binder {
  readonly #options: BinderOptions;
  #changed = new Deferred();

  constructor(options: BinderOptions) {
    this.#options = options;
  }

  /** Tells waiting bindings that claims or pods have changed. */
  claimsChanged(): void {
    this.#changed.resolve();
    this.#changed = new Deferred();
  }

  /**
   * Binds a pod.
   *
   * @returns Whether it is bound; if not, its volumes are not available.
   * @throws {StatusError} If the server refuses.
   */
  async bind(placement: Placement, signal: AbortSignal): Promise<boolean> {
    const { pod, node, waiting } = placement;
    if (waiting.length > 0 && !await this.#makeVolumes(placement, signal)) return false;
    const { namespace, name = "", uid } = pod.pod.metadata ?? {};
    const target = { apiVersion: "v1", kind: "Node", name: node };
    const body = { apiVersion: "v1", kind: "Binding", metadata: { namespace, name, uid }, target };
    await this.#options.client.createSubresource(PODS, { namespace, name }, { subresource: "binding", body, signal });
    return true;
  }

  async #makeVolumes(
    { pod, node, waiting, volumes: reserved, isWanted }: Placement,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, world, volumes, budget } = this.#options;
    const namespace = pod.namespace;
    for (const claim of waiting) {
      if (budget.spent) await budget.nextTurn();
      const { metadata } = claim;
      const volume = reserved?.get(metadata?.name ?? "");
      if (volume) {
        await this.#reserve(volume, claim, signal);
        continue;
      }
      if (metadata?.annotations?.[SELECTED_NODE_ANNOTATION] === node) continue;
      const body = { metadata: { uid: metadata?.uid, annotations: { [SELECTED_NODE_ANNOTATION]: node } } };
      const name = metadata?.name ?? "";
      await client.patchMetadata(PERSISTENTVOLUMECLAIMS, { namespace, name }, { type: "merge", body, signal });
    }
    const endMs = world.clock.monotonicMs() + VOLUMES_MS;
    const seen = new Set<string>();
    for (;;) {
      const claims = waiting.map(({ metadata }) => volumes.claim(namespace, metadata?.name ?? ""));
      if (claims.every((claim) => claim && isBound(claim))) return true;
      if (signal.aborted || !isWanted() || world.clock.monotonicMs() >= endMs || hasGivenUp(claims, { node, seen })) {
        return false;
      }
      await this.#nextChange(endMs - world.clock.monotonicMs(), signal);
    }
  }

  /** Makes a volume refer to a claim, unless the volume has changed; the binding of the claim follows from that. */
  async #reserve(
    volume: PersistentVolume,
    { metadata: claim }: PersistentVolumeClaim,
    signal: AbortSignal,
  ): Promise<void> {
    if (volume.spec?.claimRef?.uid) return;
    const { uid, resourceVersion, name = "" } = volume.metadata ?? {};
    const annotations = volume.spec?.claimRef ? undefined : { "pv.kubernetes.io/bound-by-controller": "yes" };
    const claimRef = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      namespace: claim?.namespace,
      name: claim?.name,
      uid: claim?.uid,
      resourceVersion: claim?.resourceVersion,
    };
    const body = { metadata: { uid, resourceVersion, annotations }, spec: { claimRef } };
    await this.#options.client.patch(PERSISTENTVOLUMES, { name }, { type: "merge", body, signal });
  }

  async #nextChange(limitMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const { clock } = this.#options.world;
    await Promise.race([
      this.#changed.promise,
      sleep(clock, limitMs, AbortSignal.any([signal, woken.signal])),
    ]);
    woken.abort();
  }
}

/** Whether a claim is gone or being deleted, or has lost the annotation that it had. */
function hasGivenUp(
  claims: readonly (PersistentVolumeClaim | undefined)[],
  { node, seen }: { readonly node: string; readonly seen: Set<string> },
): boolean {
  return claims.some((claim) => {
    if (!claim || claim.metadata?.deletionTimestamp) return true;
    if (isBound(claim)) return false;
    const { uid = "", annotations } = claim.metadata ?? {};
    if (annotations?.[SELECTED_NODE_ANNOTATION] !== node) return seen.has(uid);
    seen.add(uid);
    return false;
  });
}

import { formatTime, type PersistentVolumeClaim } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import { type Client, isConflict, isNotFound } from "../../client/mod.ts";
import {
  Operations,
  type Outcome,
  resizeConditions,
  resizeStatus,
  scriptOf,
  statusesWithoutResize,
  volumeSize,
  writeClaimStatus,
} from "../csi/mod.ts";
import type { ClaimedVolume } from "./volumes.ts";

/** The result of growing a volume's file system. */
export interface Growth {
  readonly claim: PersistentVolumeClaim;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The node, and a client to act with. */
export interface GrowthOptions {
  readonly client: Client;
  readonly node: string;
  readonly signal: AbortSignal;
}

/**
 * Grows file systems after their volumes have grown, as a kubelet does once they are mounted.
 *
 * Contract:
 * 1. A claim is left alone until its status says that it is the node's turn.
 * 2. The claim's status says that the node works on it before it does, and what the claim has once it is done.
 * 3. Failures are retried later; what can never succeed is reported and left alone.
 *
 * Upstream: `pkg/volume/util/operationexecutor/node_expander.go`.
 */
export class FileSystems {
  readonly #world: World;
  readonly #operations: Operations;

  constructor(world: World) {
    this.#world = world;
    this.#operations = new Operations(world);
  }

  /** @returns The event to record, and when to check again, in milliseconds, if not only when the claim changes. */
  async grow(
    claimed: ClaimedVolume,
    options: GrowthOptions,
  ): Promise<{ readonly growth?: Growth; readonly againMs?: number }> {
    const status = resizeStatus(claimed.claim);
    if (status !== "NodeResizePending" && status !== "NodeResizeInProgress") return {};
    try {
      return await this.#go(claimed, options);
    } catch (error) {
      // The claim has changed, which will be reported, or is gone.
      if (isConflict(error) || isNotFound(error)) return {};
      throw error;
    }
  }

  forget({ metadata }: PersistentVolumeClaim): void {
    this.#operations.forget(metadata?.uid, "expand-on-node");
  }

  async #go({ claim: cached, volume }: ClaimedVolume, options: GrowthOptions) {
    const claim = resizeStatus(cached) === "NodeResizeInProgress"
      ? cached
      : await writeClaimStatus(cached, { allocatedResourceStatuses: { storage: "NodeResizeInProgress" } }, options);
    const size = volumeSize(volume).toString();
    const { outcomes } = scriptOf("expand-on-node", [volume, claim]);
    const { outcome, againMs } = this.#operations.look("expand-on-node", claim.metadata?.uid ?? "", outcomes, size);
    if (!outcome) return { againMs };
    const name = JSON.stringify(volume.metadata?.name);
    if (outcome.result !== "ok") {
      await writeClaimStatus(claim, this.#failure(claim, outcome), options);
      const message = `MountVolume.NodeExpandVolume failed for volume ${name} : ${outcome.message}`;
      return { growth: { claim, type: "Warning", reason: "VolumeResizeFailed", message } as const, againMs };
    }
    const done = {
      capacity: { storage: size },
      conditions: this.#conditions(claim, undefined),
      allocatedResourceStatuses: statusesWithoutResize(claim),
    };
    await writeClaimStatus(claim, done, options);
    const message = `MountVolume.NodeExpandVolume succeeded for volume ${name} ${options.node}`;
    return { growth: { claim, type: "Normal", reason: "FileSystemResizeSuccessful", message } as const };
  }

  #failure(claim: PersistentVolumeClaim, { result, message }: Outcome): object {
    const said = { type: "NodeResizeError", message: `failed to expand pvc with ${message}` };
    const statuses = result === "infeasible" ? { allocatedResourceStatuses: { storage: "NodeResizeInfeasible" } } : {};
    return { conditions: this.#conditions(claim, said), ...statuses };
  }

  #conditions(claim: PersistentVolumeClaim, said: Parameters<typeof resizeConditions>[1]) {
    return resizeConditions(claim, said, formatTime(this.#world.clock.wallMs()));
  }
}

import { type CertificateSigningRequest, CERTIFICATESIGNINGREQUESTS, objectKey } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import { BucketLimiter, type Cause, ItemExponentialLimiter, MaxOfLimiter, WorkQueue } from "../../workqueue/mod.ts";
import {
  cause,
  changeOf,
  type Controller,
  type ControllerContext,
  queueController,
  type QueueControllerOptions,
} from "../running/mod.ts";
import { isIssued } from "./conditions.ts";

/** Approver and signers share a queue name, as upstream. */
export const QUEUE = "certificate";
/** Approving, signing and cleaning share an account. */
export const CLIENT_NAME = "certificate-controller";
const WORKERS = 5;

/** Requests of the approver and the signers to the API server. */
export type CertificateClient = Pick<Client, "create" | "update" | "updateStatus">;

export interface CertificateControllerOptions extends Pick<QueueControllerOptions, "onError"> {
  readonly name: string;
  /** Handles a cached request without a certificate; throws if that fails. */
  handle(request: CertificateSigningRequest): Promise<void>;
}

/**
 * A controller that works on all requests that have no certificate yet. Failed ones are retried after 200 ms, doubling
 * up to 1000 s; all together ten times a second after a burst of a hundred.
 *
 * Upstream: `pkg/controller/certificates/certificate_controller.go`.
 */
export function certificateController(
  { world, metrics, informers, journal }: ControllerContext,
  { name, handle, onError }: CertificateControllerOptions,
): Controller {
  const requests = informers.informer(CERTIFICATESIGNINGREQUESTS);
  const limiter = new MaxOfLimiter<string>(
    new ItemExponentialLimiter({ baseMs: 200, maxMs: 1_000_000 }),
    new BucketLimiter({ clock: world.clock, perSecond: 10, burst: 100 }),
  );
  const queue = new WorkQueue({ world, name: QUEUE, metrics, limiter });
  return queueController({
    name,
    world,
    journal,
    resource: CERTIFICATESIGNINGREQUESTS,
    queue,
    caches: [requests.addEventHandler(requestHandler(queue))],
    workers: WORKERS,
    onError,
    sync: async (key) => {
      const request = requests.lister.get(undefined, key);
      if (request && !isIssued(request)) await handle(request);
    },
  });
}

/** Every change of a request queues it. */
function requestHandler(queue: Pick<WorkQueue, "add">): EventHandler<CertificateSigningRequest> {
  const enqueue = (key: string, why: Cause) => queue.add(key, why);
  const kind = "certificatesigningrequest";
  return {
    onAdd: (request) => enqueue(objectKey(request), cause(kind, request, "added")),
    onUpdate: (before, request) => enqueue(objectKey(request), cause(kind, request, changeOf(before, request))),
    onDelete: (deleted) => enqueue(deletedKey(deleted), cause(kind, deletedKey(deleted), "deleted")),
  };
}

import { findCondition, formatTime, type ServiceCIDR, SERVICECIDRS } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { finalizerRemoval, hasFinalizer, refOf, serverSays } from "../running/mod.ts";
import type { CidrContext } from "./context.ts";

/** The owner of the condition, and the component in events. */
export const FIELD_MANAGER = "service-cidr-controller";
export const FINALIZER = "networking.k8s.io/service-cidr-finalizer";

/** The content of the condition; the reason is sent even if it is empty. */
interface Statement {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

export const READY: Statement = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" };
export const TERMINATING: Statement = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};

type ActionContext = Pick<CidrContext, "world" | "client">;

export async function addFinalizer(cidr: ServiceCIDR, context: ActionContext): Promise<void> {
  if (!hasFinalizer(cidr, FINALIZER)) await patchFinalizers(cidr, { finalizers: [FINALIZER] }, context);
}

export async function removeFinalizer(cidr: ServiceCIDR, context: ActionContext): Promise<void> {
  if (hasFinalizer(cidr, FINALIZER)) await patchFinalizers(cidr, finalizerRemoval(FINALIZER), context);
}

/** A ServiceCIDR that is gone needs none. */
async function patchFinalizers(cidr: ServiceCIDR, metadata: object, { client }: ActionContext): Promise<void> {
  try {
    await client.patch(SERVICECIDRS, refOf(cidr), { type: "strategic", body: { metadata } });
  } catch (error) {
    if (!serverSays(error, isNotFound)) throw error;
  }
}

/** Writes the condition unless it is set; its time is that of the last write, even if only the message changed. */
export async function writeCondition(
  cidr: ServiceCIDR,
  statement: Statement,
  { world: { clock }, client }: ActionContext,
): Promise<void> {
  const { status, reason, message } = statement;
  const before = findCondition(cidr.status?.conditions, "Ready");
  if (before?.status === status && (before.reason ?? "") === reason && before.message === message) return;
  const condition = { type: "Ready", ...statement, lastTransitionTime: formatTime(clock.wallMs()) };
  await client.apply(SERVICECIDRS, { metadata: { name: cidr.metadata?.name }, status: { conditions: [condition] } }, {
    subresource: "status",
    fieldManager: FIELD_MANAGER,
    force: true,
  });
}

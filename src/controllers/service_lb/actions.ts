import { type LoadBalancerIngress, type Service, SERVICES } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { finalizerRemoval, hasFinalizer, refOf, serverSays } from "../running/mod.ts";
import type { BalancerContext } from "./context.ts";
import { FINALIZER } from "./wants.ts";

type ActionContext = Pick<BalancerContext, "client">;

/** @throws {StatusError} If it could not be added; a conflict if another Service has the name by now. */
export async function addFinalizer(service: Service, context: ActionContext): Promise<void> {
  if (!hasFinalizer(service, FINALIZER)) await patch(service, { metadata: { finalizers: [FINALIZER] } }, context);
}

/** @throws {StatusError} If it could not be removed; a conflict if another Service has the name by now. */
export async function removeFinalizer(service: Service, context: ActionContext): Promise<void> {
  if (!hasFinalizer(service, FINALIZER)) return;
  await patch(service, { metadata: finalizerRemoval(FINALIZER) }, context);
}

/**
 * Writes the addresses to the Service's status. Does nothing if the Service is gone.
 *
 * @param ingress `null` for none.
 * @throws {StatusError} If the write failed.
 */
export async function writeIngress(
  service: Service,
  ingress: readonly LoadBalancerIngress[] | null,
  context: ActionContext,
): Promise<void> {
  try {
    await patch(service, { status: { loadBalancer: { ingress } } }, context);
  } catch (error) {
    if (!serverSays(error, isNotFound)) throw error;
  }
}

/**
 * Through the status subresource, as the controller's account may. The UID keeps it from a new Service of the same
 * name.
 */
async function patch(
  service: Service,
  { metadata, ...rest }: { readonly metadata?: object; readonly status?: object },
  { client }: ActionContext,
): Promise<void> {
  const body = { metadata: { uid: service.metadata?.uid, ...metadata }, ...rest };
  await client.patchMetadata(SERVICES, refOf(service), { type: "strategic", subresource: "status", body });
}

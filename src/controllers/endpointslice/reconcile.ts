import { errorText, TurnBudget } from "../../base/mod.ts";
import { type EndpointSlice, objectKey, type Pod, type Service } from "../../api/mod.ts";
import { deleteSlice, portKey, writeSlices } from "../endpoint_slices/mod.ts";
import type { EndpointSliceContext } from "./context.ts";
import type { AddressType } from "./slice_draft.ts";
import { type Desired, desiredEndpoints } from "./desired_endpoints.ts";
import { hintingOf, withServiceHints } from "./hints/service_hints.ts";
import { pack, type Packing } from "./packing.ts";
import { addressTypesOf, isOwnedBy, isPlaceholder, newSlice, withTriggerTime } from "./service_slices.ts";

/** The inputs of a reconcile. */
export interface Observed {
  readonly service: Service;
  /** The selected pods. */
  readonly pods: readonly Pod[];
  /** The Service's slices that are not being deleted. */
  readonly slices: readonly EndpointSlice[];
  /** The time of the change that caused this. */
  readonly triggerTime: string | undefined;
}

/**
 * Updates a Service's slices to contain its pods' endpoints, one family after the other. Slices of families that it no
 * longer has are deleted last. Upstream: `k8s.io/endpointslice/reconciler.go` (Reconcile).
 *
 * @returns The failures; everything else was done.
 */
export async function reconcile(observed: Observed, context: EndpointSliceContext): Promise<unknown[]> {
  const { service, slices } = observed;
  const addressTypes = addressTypesOf(service);
  const errors: unknown[] = [];
  const strange = slices.filter(({ addressType }) => !addressTypes.some((type) => type === addressType));
  for (const { addressType } of strange) context.hints.drop(objectKey(service), addressType);
  for (const addressType of addressTypes) {
    errors.push(...await reconcileFamily(observed, { addressType, context }));
  }
  for (const slice of strange) {
    try {
      await deleteSlice(slice, context);
    } catch (error) {
      const { namespace, name } = service.metadata ?? {};
      const what = `error deleting ${slice.metadata?.name} EndpointSlice for Service ${namespace}/${name}`;
      errors.push(new Error(`${what}: ${errorText(error)}`, { cause: error }));
    }
  }
  return errors;
}

/** One family of a Service, with its context. */
interface Family {
  readonly addressType: AddressType;
  readonly context: EndpointSliceContext;
}

async function reconcileFamily({ service, pods, slices, triggerTime }: Observed, family: Family): Promise<unknown[]> {
  const { addressType, context } = family;
  const { world: { clock }, nodes, recorder } = context;
  const existing = slices.filter((slice) => slice.addressType === addressType);
  const budget = new TurnBudget(clock);
  const desired = await budget.run(desiredEndpoints(service, pods, { addressType, nodes }));
  const plan = await planFamily({ service, existing, desired }, { family, budget });
  const gone = new Set([...plan.update, ...plan.delete].map(({ metadata }) => metadata?.name));
  const unchanged = existing.filter(({ metadata }) => !gone.has(metadata?.name));
  const { create, update } = plan;
  const hinted = await withServiceHints(service, { create, update, unchanged }, { addressType, ...context });
  const errors: unknown[] = [...desired.errors];
  try {
    await write(service, { ...plan, ...hinted.draft }, { triggerTime, context });
  } catch (error) {
    errors.push(error);
  }
  for (const { type, reason, message } of hinted.announcements) recorder.event(service, type, reason, message);
  return errors;
}

/** The state of one family's slices. */
interface FamilyState {
  readonly service: Service;
  readonly existing: readonly EndpointSlice[];
  readonly desired: Desired;
}

async function planFamily(
  { service, existing, desired }: FamilyState,
  { family: { addressType, context }, budget }: { readonly family: Family; readonly budget: TurnBudget },
): Promise<Pick<Packing, "create" | "update" | "delete">> {
  const { mostEndpoints, counts } = context;
  const owned = Map.groupBy(existing.filter((slice) => isOwnedBy(slice, service)), ({ ports }) => portKey(ports));
  const packings: (Packing & { readonly count: { readonly endpoints: number; readonly slices: number } })[] = [];
  for (const [key, group] of desired.groups) {
    const slices = owned.get(key) ?? [];
    const packing = await budget.run(pack(service, slices, { group, mostEndpoints }));
    const count = {
      endpoints: group.endpoints.size,
      slices: slices.length + packing.create.length - packing.delete.length,
    };
    packings.push({ ...packing, count });
  }
  const unwanted = [...owned].flatMap(([key, slices]) => desired.groups.has(key) ? [] : slices);
  const create = packings.flatMap((packing) => packing.create);
  const update = packings.flatMap((packing) => packing.update);
  const strangers = existing.filter((slice) => !isOwnedBy(slice, service));
  let going = [...strangers, ...packings.flatMap((packing) => packing.delete), ...unwanted];
  const groups = packings.map(({ count }) => count);
  if (going.length === existing.length && create.length === 0) {
    // A Service without endpoints keeps an empty slice, so that clients know that there are none.
    if (going.length === 1 && isPlaceholder(going[0], service)) going = [];
    else create.push(newSlice(service, { addressType, ports: [] }));
    groups.push({ endpoints: 0, slices: 1 });
  }
  counts.synced({ added: sum(packings, "added"), removed: sum(packings, "removed") });
  counts.count(objectKey(service), groups);
  return { create, update, delete: going };
}

async function write(
  service: Service,
  plan: Pick<Packing, "create" | "update" | "delete">,
  { triggerTime, context }: { readonly triggerTime: string | undefined; readonly context: EndpointSliceContext },
): Promise<void> {
  const timed = (slice: EndpointSlice) => withTriggerTime(slice, triggerTime);
  const { namespace, name, deletionTimestamp } = service.metadata ?? {};
  const done = await writeSlices({
    create: plan.create.map(timed),
    update: plan.update.map(timed),
    delete: plan.delete,
  }, {
    ...context,
    owner: `Service ${namespace}/${name}`,
    ownerIsGoing: Boolean(deletionTimestamp),
    mayRecycle: (slice) => isOwnedBy(slice, service),
  });
  if (!done) return;
  context.metrics.wrote(done.create.length + done.update.length + done.delete.length, hintingOf(service));
}

function sum(packings: readonly Packing[], what: "added" | "removed"): number {
  return packings.reduce((total, packing) => total + packing[what], 0);
}

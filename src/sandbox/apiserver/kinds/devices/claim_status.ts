import type {
  AllocationResult,
  ResourceClaimConsumerReference,
  ResourceClaimSpec,
  ResourceV1ResourceClaim,
} from "../../../../api/mod.ts";
import { canonicalJson } from "../../../../base/mod.ts";
import type { Stored } from "../../traits/mod.ts";
import {
  all,
  type Check,
  dnsLabel,
  each,
  type FieldErrors,
  fields,
  required,
  unchanged,
  upTo,
} from "../../validation/mod.ts";
import { csiDriverName } from "../shared/mod.ts";
import { MOST_REQUESTS, poolFormat, setOf } from "./requests.ts";

type Claim = Stored<ResourceV1ResourceClaim>;
type Consumer = ResourceClaimConsumerReference;
type Result = NonNullable<NonNullable<AllocationResult["devices"]>["results"]>[number];

/** How many consumers can reserve a claim at once. */
const MOST_CONSUMERS = 256;

/** Drops the status of devices that are no longer allocated. Upstream: dropDeallocatedStatusDevices. */
export function withoutFreedDevices({ status }: Claim, { status: before }: Claim): void {
  if (!status?.devices) return;
  const idOf = ({ driver, pool, device, shareID }: Pick<Result, "driver" | "pool" | "device" | "shareID">) =>
    canonicalJson([driver, pool, device, shareID]);
  const kept = new Set(status.allocation?.devices?.results?.map(idOf));
  const freed = new Set(before?.allocation?.devices?.results?.map(idOf).filter((id) => !kept.has(id)));
  status.devices = status.devices.filter((device) => !freed.has(idOf(device)));
  if (status.devices.length === 0) delete status.devices;
}

/** Upstream: validateResourceClaimStatusUpdate. */
export function validateClaimStatus({ metadata, spec, status = {} }: Claim, old: Claim, errors: FieldErrors): void {
  const { reservedFor = [], allocation } = status;
  consumers(reservedFor, "status.reservedFor", errors);
  if (reservedFor.length > 0 && !allocation) {
    errors.forbidden("status.reservedFor", "may not be specified when `allocated` is not set");
  } else if (metadata.deletionTimestamp && !keysOf(reservedFor).isSubsetOf(keysOf(old.status?.reservedFor))) {
    errors.forbidden("status.reservedFor", "may not grow while the claim is being deleted");
  }
  const before = old.status?.allocation;
  if (!allocation) return;
  if (!before) return validateAllocation(allocation, spec, errors);
  unchanged(allocation, before, "status.allocation", errors);
}

const keysOf = (consumers: readonly Consumer[] = []) => new Set(consumers.map(canonicalJson));

const consumer = fields<Consumer>({ resource: "!", name: "!", uid: "!" });
const consumers = setOf(MOST_CONSUMERS, consumer, ({ uid }) => uid);
const result = fields<Result>({ driver: required(csiDriverName), pool: required(poolFormat), device: "*label" });

function validateAllocation({ devices }: AllocationResult, spec: ResourceClaimSpec, errors: FieldErrors): void {
  const ref: Check<Result> = ({ request = "" }, at, errors) =>
    validateRequestRef(request, spec, `${at}.request`, errors);
  const results = upTo(MOST_REQUESTS, all(each(result), each(ref)));
  results(devices?.results ?? [], "status.allocation.devices.results", errors);
}

/** The name of a request of the claim, or of one of its alternatives. */
function validateRequestRef(ref: string, spec: ResourceClaimSpec, at: string, errors: FieldErrors): void {
  const why = "must name a request of the claim, or REQUEST/SUBREQUEST";
  const segments = ref.split("/");
  if (segments.length > 2) return errors.invalid(at, ref, why);
  for (const segment of segments) errors.invalidFor(at, segment, dnsLabel(segment));
  const [name, alternative] = segments;
  const request = spec.devices?.requests?.find((each) => each.name === name);
  const isKnown = alternative === undefined || request?.firstAvailable?.some((each) => each.name === alternative);
  if (!request || !isKnown) errors.invalid(at, ref, why);
}

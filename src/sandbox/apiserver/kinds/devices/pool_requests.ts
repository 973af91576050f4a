import type { PoolStatus, ResourcePoolStatusRequest } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import {
  byteLength,
  type Check,
  dnsSubdomain,
  each,
  fields,
  nonNegative,
  required,
  unchanged,
  uniqueBy,
  upTo,
  validateConditions,
} from "../../validation/mod.ts";
import { poolFormat } from "./requests.ts";

type Status = NonNullable<ResourcePoolStatusRequest["status"]>;

const DEFAULT_LIMIT = 100;
const MOST_POOLS = 1000;
const MOST_CONDITIONS = 10;
const LONGEST_ERROR_BYTES = 256;

/** The name of a driver, which may be longer here than in other kinds. */
const driverName: Check<string> = (name, at, errors) => errors.invalidFor(at, name, dnsSubdomain(name.toLowerCase()));

const spec = fields<ResourcePoolStatusRequest["spec"]>({
  driver: required(driverName),
  poolName: poolFormat,
  limit: (limit, at, errors) => {
    if (limit < 1 || limit > MOST_POOLS) errors.invalid(at, limit, `must be between 1 and ${MOST_POOLS}`);
  },
}, "resource.v1alpha3.ResourcePoolStatusRequestSpec");

const pool = fields<PoolStatus>({
  driver: required(driverName),
  poolName: required(poolFormat),
  generation: required(nonNegative),
  resourceSliceCount: "positive",
  totalDevices: nonNegative,
  allocatedDevices: nonNegative,
  availableDevices: nonNegative,
  unavailableDevices: nonNegative,
  nodeName: "subdomain",
  validationError: (text, at, errors) => {
    if (byteLength(text) > LONGEST_ERROR_BYTES) errors.tooLong(at, LONGEST_ERROR_BYTES);
  },
}, "resource.v1alpha3.PoolStatus");

const statusFields = fields<Status>({
  poolCount: required(nonNegative),
  pools: upTo(MOST_POOLS, each(pool)),
  conditions: upTo(MOST_CONDITIONS, uniqueBy(({ type }) => type)),
}, "resource.v1alpha3.ResourcePoolStatusRequestStatus");

/** Upstream: `pkg/registry/resource/resourcepoolstatusrequest`. */
export const resourcePoolStatusRequests: Traits<ResourcePoolStatusRequest> = {
  answersDeleted: true,
  needsResourceVersion: true,
  immutable: ["spec"],
  keepsMetadataOnStatus: true,
  defaults: (request) => {
    if (request.spec) request.spec.limit ??= DEFAULT_LIMIT;
  },
  prepareCreate(request) {
    delete request.status;
  },
  validate: (request, errors, old) => {
    if (!old) spec(request.spec ?? {}, "spec", errors);
  },
  validateStatus({ status }, old, errors) {
    if (old.status) unchanged(status, old.status, "status", errors);
    else validateConditions(status?.conditions ?? [], "status.conditions", errors);
    if (status) statusFields(status, "status", errors);
  },
};

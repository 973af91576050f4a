import type { ResourcePoolStatusRequest } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import { fields, required, unchanged } from "../../validation/mod.ts";
import { csiDriverName } from "../shared/mod.ts";
import { poolName } from "./pool_name.ts";

type Spec = ResourcePoolStatusRequest["spec"];

const DEFAULT_LIMIT = 100;
const MOST_POOLS = 1000;
const MOST_CONDITIONS = 10;

const spec = fields<Spec>({
  driver: required(csiDriverName),
  poolName,
  limit: (limit, at, errors) => {
    if (limit > MOST_POOLS) errors.invalid(at, limit, `must be less than or equal to ${MOST_POOLS}`);
    if (limit < 1) errors.invalid(at, limit, "must be greater than or equal to 1");
  },
});

/** Upstream: `pkg/registry/resource/resourcepoolstatusrequest`. */
export const resourcePoolStatusRequests: Traits<ResourcePoolStatusRequest> = {
  answersDeleted: true,
  needsResourceVersion: true,
  defaults: (request) => {
    if (request.spec) request.spec.limit ??= DEFAULT_LIMIT;
  },
  prepareCreate(request) {
    delete request.status;
  },
  validate: (request, errors, old) => {
    if (!old) spec(request.spec ?? {}, "spec", errors);
  },
  validateUpdate: (request, old, errors) => unchanged(request.spec, old.spec, "spec", errors),
  validateStatus({ status }, old, errors) {
    if (old.status) return unchanged(status, old.status, "status", errors);
    const { pools = [], conditions = [] } = status ?? {};
    if (pools.length > MOST_POOLS) errors.tooMany("status.pools", pools.length, MOST_POOLS);
    if (conditions.length > MOST_CONDITIONS) errors.tooMany("status.conditions", conditions.length, MOST_CONDITIONS);
  },
};

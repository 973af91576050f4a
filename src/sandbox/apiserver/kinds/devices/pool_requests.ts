import type { ResourcePoolStatusRequest } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import { atMost, fields, required, unchanged } from "../../validation/mod.ts";
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
    if (limit < 1 || limit > MOST_POOLS) errors.invalid(at, limit, `must be between 1 and ${MOST_POOLS}`);
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
    atMost(pools, MOST_POOLS, "status.pools", errors);
    atMost(conditions, MOST_CONDITIONS, "status.conditions", errors);
  },
};

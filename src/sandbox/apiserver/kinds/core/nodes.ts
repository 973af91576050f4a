import type { Node, Taint } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import { roundAmounts } from "../../../../rules/mod.ts";
import type { Stored, Traits } from "../../traits/mod.ts";
import {
  each,
  type FieldErrors,
  fields,
  isDualStack,
  unique,
  validateAmount,
  validateRange,
} from "../../validation/mod.ts";

/** Upstream reports this path, although taints are in the spec. */
const TAINTS = "metadata.taints";

const taint = fields<Taint>({ key: "*qualified", value: "labelValue", effect: "!one" }, "core.v1.Taint");

function validateTaints(taints: readonly Taint[], errors: FieldErrors): void {
  each(taint)(taints, TAINTS, errors);
  unique(taints, TAINTS, errors, ({ key, effect }) => `${key}:${effect}`);
}

function validateNodeAmounts({ status }: Node, errors: FieldErrors): void {
  for (const field of ["capacity", "allocatable"] as const) {
    for (const [name, amount] of Object.entries(status?.[field] ?? {})) {
      validateAmount(name, amount, `status.${field}.${name}`, errors);
    }
  }
}

function validateRanges(ranges: readonly string[], errors: FieldErrors): void {
  const at = "spec.podCIDRs";
  for (const [i, range] of ranges.entries()) validateRange(range, `${at}[${i}]`, errors);
  if (ranges.length < 2) return;
  if (ranges.length === 2 && isDualStack(ranges.map((range) => range.split("/")[0]))) return;
  errors.invalid(at, ranges, "may specify no more than one CIDR for each IP family");
}

const ONCE_ONLY = 'may not change except from ""';

function validateNodeUpdate(node: Stored<Node>, old: Stored<Node>, errors: FieldErrors): void {
  const { spec = {}, status = {} } = node;
  const { spec: before = {} } = old;
  validateNodeAmounts(node, errors);
  unique(status.addresses ?? [], "status.addresses", errors, ({ type, address }) => `${type} ${address}`);
  if (before.podCIDRs?.length && !deepEqual(before.podCIDRs, spec.podCIDRs)) {
    errors.forbidden("spec.podCIDRs", ONCE_ONLY);
  }
  if (before.providerID && before.providerID !== spec.providerID) errors.forbidden("spec.providerID", ONCE_ONLY);
  validateTaints(spec.taints ?? [], errors);
}

/** Upstream: `pkg/registry/core/node/strategy.go`. Kubelets register with a status. */
export const nodes: Traits<Node> = {
  keepsStatusOnCreate: true,
  defaults({ spec, status }) {
    if (spec?.podCIDR && (!spec.podCIDRs?.length || spec.podCIDRs[0] !== spec.podCIDR)) spec.podCIDRs = [spec.podCIDR];
    if (spec?.podCIDRs?.length) spec.podCIDR = spec.podCIDRs[0];
    if (!status) return;
    roundAmounts(status.capacity);
    roundAmounts(status.allocatable);
    if (status.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
  },
  validate(node, errors) {
    const { spec = {} } = node;
    validateTaints(spec.taints ?? [], errors);
    validateNodeAmounts(node, errors);
    validateRanges(spec.podCIDRs ?? [], errors);
  },
  validateUpdate: validateNodeUpdate,
  validateStatus: validateNodeUpdate,
};

import { type Amounts, parseAmounts } from "../../../rules/mod.ts";
import { type LimitRangeItem, Quantity, type ResourceRequirements } from "../../../api/mod.ts";

/** What a limit range is checked against. */
export interface Limited {
  readonly requests: Amounts;
  /** Absent if there is no such thing as a limit, as for a claim. */
  readonly limits?: Amounts;
}

/** A constraint of one resource: its type, the resource, and what is allowed. */
interface Constraint {
  readonly type: string;
  readonly name: string;
  readonly allowed: Quantity;
}

export function limitedBy(resources: ResourceRequirements | undefined): Limited {
  return { requests: parseAmounts(resources?.requests), limits: parseAmounts(resources?.limits) };
}

/** What is wrong, in upstream's wording. Upstream: `plugin/pkg/admission/limitranger/admission.go`. */
export function limitErrors(limit: LimitRangeItem, limited: Limited): string[] {
  const errors: (string | undefined)[] = [];
  for (const constraint of constraints(limit, limit.min)) errors.push(minimumError(constraint, limited));
  for (const constraint of constraints(limit, limit.max)) errors.push(maximumError(constraint, limited));
  if (limited.limits) {
    for (const constraint of constraints(limit, limit.maxLimitRequestRatio)) {
      errors.push(ratioError(constraint, limited.requests.get(constraint.name), limited.limits.get(constraint.name)));
    }
  }
  return errors.filter((error) => error !== undefined);
}

function constraints({ type }: LimitRangeItem, allowed: LimitRangeItem["max"]): Constraint[] {
  return [...parseAmounts(allowed)].map(([name, amount]) => ({ type, name, allowed: amount }));
}

function minimumError({ type, name, allowed }: Constraint, { requests, limits }: Limited): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${allowed}`;
  const request = requests.get(name);
  if (!request) return `${rule}.  No request is specified`;
  if (request.milliRoundedUp() < allowed.milliRoundedUp()) return `${rule}, but request is ${request}`;
  const limit = limits?.get(name);
  if (limit && limit.milliRoundedUp() < allowed.milliRoundedUp()) return `${rule}, but limit is ${limit}`;
  return undefined;
}

function maximumError({ type, name, allowed }: Constraint, { requests, limits }: Limited): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${allowed}`;
  const isOver = (amount: Quantity | undefined) => amount && amount.milliRoundedUp() > allowed.milliRoundedUp();
  const request = requests.get(name);
  if (!limits && !request) return `${rule}.  No request is specified`;
  const limit = limits?.get(name);
  if (limits && !limit) return `${rule}.  No limit is specified`;
  if (isOver(limit)) return `${rule}, but limit is ${limit}`;
  if (isOver(request)) return `${rule}, but request is ${request}`;
  return undefined;
}

function ratioError(
  { type, name, allowed }: Constraint,
  request: Quantity | undefined,
  limit: Quantity | undefined,
): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${allowed}`;
  const requested = Number(request?.milliRoundedUp() ?? 0n);
  const limited = Number(limit?.milliRoundedUp() ?? 0n);
  if (requested === 0) return `${rule}, but no request is specified or request is 0`;
  if (limited === 0) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = limited / requested;
  if (ratio * 1000 <= Number(allowed.milliRoundedUp())) return undefined;
  return `${rule}, but provided ratio is ${ratio.toFixed(6)}`;
}

import { parseDuration, type Service } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";

/**
 * The annotations with which a Service controls what the simulated cloud does with it.
 *
 * | annotation | operation |
 * |---|---|
 * | `kubeloop.dev/load-balancer` | its load balancer is made or changed |
 * | `kubeloop.dev/delete-load-balancer` | its load balancer is removed |
 *
 * The value is a list with one entry per try; the last one applies to all later tries: `fail,5s` fails once and then
 * takes five seconds. An entry is a duration in Go's format (`500ms`, `1m30s`), a result, or both: `2s fail`. Results
 * are `ok` (the default), `fail`, and `never`, which never ends. `fail:text` gives a reason: `fail:quota exceeded`.
 */
const ANNOTATIONS: Readonly<Record<string, string>> = {
  ensureLoadBalancer: "kubeloop.dev/load-balancer",
  ensureLoadBalancerDeleted: "kubeloop.dev/delete-load-balancer",
};

/** The outcome of one try. */
export interface Outcome {
  /** How long it takes; `Infinity` if it never ends. */
  readonly afterMs: number;
  /** Why it fails; absent if it does not. */
  readonly failure?: string;
}

/** The annotation for a method, and its text on the Service. */
export function scriptFor(method: string, service: Service | undefined): { key: string; text: string } | undefined {
  if (!Object.hasOwn(ANNOTATIONS, method)) return undefined;
  const key = ANNOTATIONS[method];
  const text = service?.metadata?.annotations?.[key];
  return text === undefined ? undefined : { key, text };
}

/** The outcome of the `tries`th try, counted from 0. A malformed entry makes it fail with the reason. */
export function outcomeOf({ key, text }: { readonly key: string; readonly text: string }, tries: number): Outcome {
  const entries = text.split(",");
  try {
    return parse(entries[Math.min(tries, entries.length - 1)].trim());
  } catch (error) {
    return { afterMs: 0, failure: `annotation ${key} makes no sense: ${errorText(error)}` };
  }
}

/** A duration, a result and a reason, all optional. */
const ENTRY = /^([-+]?[\d.][^\s:]*)?\s*([^\s:]+)?(?::(.*))?$/;

function parse(text: string): Outcome {
  const [, duration, result = "ok", why = "simulated failure"] = ENTRY.exec(text) ?? [];
  if (result === "never") return { afterMs: Infinity };
  if (result !== "ok" && result !== "fail") {
    throw new Error(`${JSON.stringify(result)} is not a result: use ok, fail or never`);
  }
  const afterMs = duration === undefined ? 0 : parseDuration(duration);
  if (afterMs < 0) throw new Error(`${JSON.stringify(duration)} is less than zero`);
  return result === "fail" ? { afterMs, failure: why } : { afterMs };
}

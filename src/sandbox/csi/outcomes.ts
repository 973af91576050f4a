import { type KubeObject, parseDuration } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";

/**
 * The annotations by which a claim, a volume or a storage class says what simulated storage makes of it. The driver looks at the
 * object that an operation is about, then at the volume's claim, then at its class, and takes the first that says something.
 *
 * | annotation | operation |
 * |---|---|
 * | `kubeloop.dev/provision` | a volume is made for a claim |
 * | `kubeloop.dev/delete-volume` | a released volume is deleted |
 * | `kubeloop.dev/attach` | a volume is attached to a node |
 * | `kubeloop.dev/detach` | a volume is detached |
 * | `kubeloop.dev/expand` | a volume grows |
 * | `kubeloop.dev/expand-on-node` | a node grows the file system on a volume |
 *
 * The value is a list with one entry for each try, the last one standing for all that follow: `fail,5s` fails once and then takes
 * five seconds. An entry is a duration (Go's: `500ms`, `1m30s`), a result, or both: `2s fail`. Results are `ok`, which is meant if
 * none is given, `fail`, `infeasible` (the driver can never do it), `elsewhere` (not on the node that was selected) and `never`,
 * which comes to no end. `fail:text` says why: `fail:no space left`.
 */
const ANNOTATION_PREFIX = "kubeloop.dev/";

/** What the driver is asked to do. */
export type Operation = "provision" | "delete-volume" | "attach" | "detach" | "expand" | "expand-on-node";

/** What comes of one try. */
export interface Outcome {
  /** How long it takes; `Infinity` if it comes to no end. */
  readonly afterMs: number;
  readonly result: "ok" | "fail" | "infeasible" | "elsewhere";
  /** Why it failed, as the driver's error reads. */
  readonly message: string;
}

/** What comes of the tries, in their order. */
export interface Script {
  readonly outcomes: readonly Outcome[];
  /** Why an annotation is ignored. */
  readonly problem?: string;
}

const OK: Outcome = { afterMs: 0, result: "ok", message: "" };
const ALWAYS_OK: Script = { outcomes: [OK] };
const CODES = { ok: "OK", fail: "Internal", infeasible: "InvalidArgument", elsewhere: "ResourceExhausted" };

/** What `objects`, of which the first that says something counts, want an operation to come to. */
export function scriptOf(operation: Operation, objects: readonly (KubeObject | undefined)[]): Script {
  const key = ANNOTATION_PREFIX + operation;
  const text = objects.map((object) => object?.metadata?.annotations?.[key]).find((each) => each !== undefined);
  if (text === undefined) return ALWAYS_OK;
  try {
    return { outcomes: text.split(",").map(outcomeOf) };
  } catch (error) {
    return { ...ALWAYS_OK, problem: `annotation ${key} is ignored: ${errorText(error)}` };
  }
}

function outcomeOf(text: string): Outcome {
  const [, duration, result = "ok", reason = "simulated failure"] = ENTRY.exec(text.trim()) ?? [];
  if (result === "never") return { ...OK, afterMs: Infinity };
  const afterMs = duration === undefined ? 0 : parseDuration(duration);
  if (afterMs < 0) throw new Error(`${JSON.stringify(duration)} is less than zero`);
  if (!isResult(result)) {
    throw new Error(`${JSON.stringify(result)} is no result, only ok, fail, infeasible, elsewhere and never are`);
  }
  if (result === "ok") return { ...OK, afterMs };
  return { afterMs, result, message: `rpc error: code = ${CODES[result]} desc = ${reason}` };
}

/** A duration, a result and why, each of which may be missing. */
const ENTRY = /^([-+]?[\d.][^\s:]*)?\s*([^\s:]+)?(?::(.*))?$/;

function isResult(text: string): text is Outcome["result"] {
  return Object.hasOwn(CODES, text);
}

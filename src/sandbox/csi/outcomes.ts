import { type KubeObject, parseDuration } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";

/**
 * The annotations that control simulated storage. For an operation, the driver looks at the object itself, then at the
 * volume's claim, then at its class, and uses the first annotation it finds.
 *
 * | annotation | operation |
 * |---|---|
 * | `kubeloop.dev/provision` | creating a volume for a claim |
 * | `kubeloop.dev/delete-volume` | deleting a released volume |
 * | `kubeloop.dev/attach` | attaching a volume to a node |
 * | `kubeloop.dev/detach` | detaching a volume |
 * | `kubeloop.dev/expand` | expanding a volume |
 * | `kubeloop.dev/expand-on-node` | expanding a volume's file system on a node |
 *
 * The value is a list with an entry for each attempt; the last entry applies to all further ones: `fail,5s` fails once
 * and then takes five seconds. An entry is a duration (in Go's format: `500ms`, `1m30s`), a result, or both: `2s fail`.
 * Results are `ok`, the default, `fail`, `infeasible` (the driver can never do it), `elsewhere` (not on the selected
 * node) and `never`, which does not end. `fail:text` gives a message: `fail:no space left`.
 */
const ANNOTATION_PREFIX = "kubeloop.dev/";

/** An operation of the driver. */
export type Operation = "provision" | "delete-volume" | "attach" | "detach" | "expand" | "expand-on-node";

/** The result of an attempt. */
export interface Outcome {
  /** Its duration; `Infinity` if it does not end. */
  readonly afterMs: number;
  readonly result: "ok" | "fail" | "infeasible" | "elsewhere";
  /** The driver's error message if it fails. */
  readonly message: string;
}

/** The results of all attempts, in order. */
export interface Script {
  readonly outcomes: readonly Outcome[];
  /** Why an annotation is ignored. */
  readonly problem?: string;
}

const OK: Outcome = { afterMs: 0, result: "ok", message: "" };
const ALWAYS_OK: Script = { outcomes: [OK] };
const CODES = { ok: "OK", fail: "Internal", infeasible: "InvalidArgument", elsewhere: "ResourceExhausted" };

/** The script for an operation in the first of `objects` that has one. */
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
    throw new Error(`${JSON.stringify(result)} is not a result: use ok, fail, infeasible, elsewhere or never`);
  }
  if (result === "ok") return { ...OK, afterMs };
  return { afterMs, result, message: `rpc error: code = ${CODES[result]} desc = ${reason}` };
}

/** A duration, a result and a message, each of them optional. */
const ENTRY = /^([-+]?[\d.][^\s:]*)?\s*([^\s:]+)?(?::(.*))?$/;

function isResult(text: string): text is Outcome["result"] {
  return Object.hasOwn(CODES, text);
}

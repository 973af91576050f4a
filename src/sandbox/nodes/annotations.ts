import { errorText } from "../../base/mod.ts";
import { parseDuration, type Pod, Quantity } from "../../api/mod.ts";

/**
 * The annotations with which a pod (or a template) controls its simulated kubelet. They may change while the pod runs.
 *
 * | annotation | value | without it |
 * |---|---|---|
 * | `kubeloop.dev/start-after` | duration from binding until containers can start | `podStartMs` |
 * | `kubeloop.dev/image-pull` | list of durations, or `never` | no delay; `never` for {@link isUnpullable} names |
 * | `kubeloop.dev/run-for` | list of durations, or `forever` | see below |
 * | `kubeloop.dev/exit-code` | list of codes, optionally with a reason: `137:OOMKilled` | 0 |
 * | `kubeloop.dev/ready-after` | list of durations from a container's start, or `never` | immediately |
 * | `kubeloop.dev/stop-after` | duration from deletion until containers have stopped, or `never` | `podStopMs` |
 * | `kubeloop.dev/stop-code` | exit code of containers that stop when asked | 0 if they would be restarted, else 143 |
 * | `kubeloop.dev/evict` | the resource that the node runs out of: `memory` | never |
 * | `kubeloop.dev/evict-after` | duration from the pod's start until the eviction | immediately |
 * | `kubeloop.dev/cpu-usage` | list of quantities for the metrics API, or `none` for no measurements | `1m` |
 * | `kubeloop.dev/memory-usage` | the same for memory | `16Mi` |
 *
 * Durations are in Go's format: `500ms`, `5s`, `1m30s`. The grace period limits `stop-after`: containers that need
 * longer are killed (exit code 137).
 *
 * A list has one value for each run of a container; the last value applies to all further runs: `1,1,0` fails twice. A
 * pod with restartPolicy Never runs once; there, failed pods of the same controller count as earlier runs, so that a
 * list can script a Job. `name=` before a value restricts it and the values after it to that container:
 * `main=1,0,sidecar=137`. `@2=` does the same for the pod with completion index 2 of an Indexed Job: `0,@1=1`. Values
 * without a name apply to main containers, not to init containers and sidecars.
 *
 * Containers that would always be restarted run forever unless `run-for` or `exit-code` is set; others run for
 * `podRunMs`, init containers for `initRunMs`.
 */
const ANNOTATION_PREFIX = "kubeloop.dev/";

/** Values by run: for containers by name, for completion indexes (`@2`), and for all others (empty name). */
export type Script<T> = ReadonlyMap<string, readonly T[]>;

/** How a container ends. */
export interface Exit {
  readonly code: number;
  /** Instead of `Completed` or `Error`. */
  readonly reason?: string;
}

/** What a container uses of a resource; `none` if there are no measurements. */
export type Usage = Quantity | "none";

/** A pod's annotations, parsed; absent ones are `undefined`. `Infinity` stands for never and forever. */
export interface Scripts {
  readonly startAfterMs?: number;
  readonly imagePullMs?: Script<number>;
  readonly runForMs?: Script<number>;
  readonly exit?: Script<Exit>;
  readonly readyAfterMs?: Script<number>;
  readonly stopAfterMs?: number;
  readonly stopCode?: number;
  readonly evict?: string;
  readonly evictAfterMs?: number;
  readonly cpuUsage?: Script<Usage>;
  readonly memoryUsage?: Script<Usage>;
  /** Which annotations are invalid and therefore ignored, and why. */
  readonly problems: readonly string[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Reader = (scripts: Mutable<Scripts>, text: string) => void;

const duration = (text: string) => atLeastZero(parseDuration(text), text);
const durationOr = (word: string) => (text: string) => text === word ? Infinity : duration(text);

function atLeastZero(value: number, text: string): number {
  if (value < 0) throw new Error(`${JSON.stringify(text)} is less than zero`);
  return value;
}

function exitCode(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 255) {
    throw new Error(`${JSON.stringify(text)} is not an exit code from 0 to 255`);
  }
  return Number(text);
}

function exit(text: string): Exit {
  const [code, ...reason] = text.split(":");
  return reason.length > 0 ? { code: exitCode(code), reason: reason.join(":") } : { code: exitCode(code) };
}

function usage(text: string): Usage {
  if (text === "none") return text;
  const amount = Quantity.parse(text);
  if (amount.sign < 0) throw new Error(`${JSON.stringify(text)} is less than zero`);
  return amount;
}

/** One row per annotation: what its text sets. */
const READERS: Readonly<Record<string, Reader>> = {
  "start-after": (scripts, text) => scripts.startAfterMs = duration(text),
  "image-pull": (scripts, text) => scripts.imagePullMs = parseScript(text, durationOr("never")),
  "run-for": (scripts, text) => scripts.runForMs = parseScript(text, durationOr("forever")),
  "exit-code": (scripts, text) => scripts.exit = parseScript(text, exit),
  "ready-after": (scripts, text) => scripts.readyAfterMs = parseScript(text, durationOr("never")),
  "stop-after": (scripts, text) => scripts.stopAfterMs = durationOr("never")(text),
  "stop-code": (scripts, text) => scripts.stopCode = exitCode(text),
  "evict": (scripts, text) => scripts.evict = text.trim() || undefined,
  "evict-after": (scripts, text) => scripts.evictAfterMs = duration(text),
  "cpu-usage": (scripts, text) => scripts.cpuUsage = parseScript(text, usage),
  "memory-usage": (scripts, text) => scripts.memoryUsage = parseScript(text, usage),
};

const NO_SCRIPTS: Scripts = { problems: [] };

/**
 * Reads a pod's annotations. Invalid ones are reported in `problems` and ignored.
 *
 * @example
 * ```ts
 * import { readScripts } from "./annotations.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const { exit, problems } = readScripts({
 *   metadata: { annotations: { "kubeloop.dev/exit-code": "1,0,log=137:OOMKilled", "kubeloop.dev/run-for": "soon" } },
 * });
 * assertEquals(exit?.get(""), [{ code: 1 }, { code: 0 }]);
 * assertEquals(exit?.get("log"), [{ code: 137, reason: "OOMKilled" }]);
 * assertEquals(problems, ['annotation kubeloop.dev/run-for is ignored: time: invalid duration "soon"']);
 * ```
 */
export function readScripts({ metadata }: Pod): Scripts {
  let scripts: Mutable<Scripts> | undefined;
  const problems: string[] = [];
  for (const [key, text] of Object.entries(metadata?.annotations ?? {})) {
    if (!key.startsWith(ANNOTATION_PREFIX)) continue;
    scripts ??= { problems };
    const name = key.slice(ANNOTATION_PREFIX.length);
    if (!Object.hasOwn(READERS, name)) {
      const known = Object.keys(READERS).map((each) => ANNOTATION_PREFIX + each).join(", ");
      problems.push(`annotation ${key} is ignored: it is not one of ${known}`);
      continue;
    }
    try {
      READERS[name](scripts, text.trim());
    } catch (error) {
      problems.push(`annotation ${key} is ignored: ${errorText(error)}`);
    }
  }
  return scripts ?? NO_SCRIPTS;
}

function parseScript<T>(text: string, parse: (text: string) => T): Script<T> {
  const script = new Map<string, T[]>();
  let name = "";
  for (const item of text.split(",").map((part) => part.trim())) {
    const at = item.indexOf("=");
    if (at >= 0) name = item.slice(0, at).trim();
    const value = parse(at >= 0 ? item.slice(at + 1).trim() : item);
    const values = script.get(name);
    if (values) values.push(value);
    else script.set(name, [value]);
  }
  return script;
}

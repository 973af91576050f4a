import {
  type Container,
  type ContainerStatus,
  type EphemeralContainer,
  parseTime,
  type Pod,
} from "../../../api/mod.ts";
import { badRequest, invalid, translate } from "../base/mod.ts";
import { type Exchange, storedObject } from "../exchange/mod.ts";
import { keyOf } from "../reads/mod.ts";
import { booleanParameter, integerParameter } from "../requests/mod.ts";
import { FieldErrors } from "../validation/mod.ts";

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

/**
 * Serves a container's log. A simulated container only logs when it started and how it ended. A followed log ends with
 * its container. Upstream: `pkg/registry/core/pod/rest/log.go`.
 */
// deno-lint-ignore require-await -- what is refused is refused as by all handlers: by a promise
export async function handleLog(exchange: Exchange): Promise<Response> {
  const { query, route, state } = exchange;
  const { limitBytes, sinceMs = -Infinity, tailLines = Infinity, timestamps } = logOptions(exchange);
  const pod = storedObject(exchange) as Pod;
  const container = containerOf(pod, route.name, query.get("container") ?? "");
  if (!pod.spec?.nodeName) return new Response(null, { status: 204 });
  const lines = linesOf(pod, route.name, container, booleanParameter(query, "previous") ?? false);
  const recent = lines.filter(({ time }) =>
    parseTime(time) >= sinceMs && parseTime(time) <= state.world.clock.wallMs()
  );
  const encode = (some: readonly LogLine[]) =>
    new TextEncoder().encode(some.map(({ time, text }) => `${timestamps ? `${time} ` : ""}${text}\n`).join(""));
  const bytes = encode(recent.slice(Math.max(0, recent.length - tailLines))).subarray(0, limitBytes);
  const isFull = limitBytes !== undefined && bytes.length >= limitBytes;
  const isFollowed = booleanParameter(query, "follow") && lines.length === 1 && !isFull;
  const rest = (later: Pod) => {
    const added = newLines(later, container, lines[0]);
    return added && encode(added).subarray(0, limitBytes && limitBytes - bytes.length);
  };
  const body = isFollowed ? followed(exchange, bytes, rest) : bytes;
  return new Response(body, { headers: { "content-type": "text/plain" } });
}

/** @throws {ApiError} 400 or 422 for invalid parameters. */
function logOptions({ query, route, state }: Exchange) {
  const tailLines = integerParameter(query, "tailLines");
  const limitBytes = integerParameter(query, "limitBytes");
  const sinceSeconds = integerParameter(query, "sinceSeconds");
  const sinceTime = query.get("sinceTime") ?? undefined;
  const errors = new FieldErrors();
  if (tailLines !== undefined && tailLines < 0) {
    errors.invalid("tailLines", tailLines, "must be greater than or equal to 0");
  }
  if (limitBytes !== undefined && limitBytes < 1) errors.invalid("limitBytes", limitBytes, "must be greater than 0");
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified");
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.invalid("sinceSeconds", sinceSeconds, "must be greater than 0");
  }
  const stream = query.get("stream");
  if (stream && stream !== "All") errors.forbidden("stream", "may not be specified");
  if (errors.count > 0) throw invalid({ group: "", plural: "pods", kind: "PodLogOptions" }, route.name, errors.causes);
  let sinceMs: number | undefined;
  if (sinceSeconds !== undefined) sinceMs = state.world.clock.wallMs() - sinceSeconds * 1000;
  else if (sinceTime) sinceMs = translate(() => parseTime(sinceTime), Error, badRequest);
  return { tailLines, limitBytes, sinceMs, timestamps: booleanParameter(query, "timestamps") ?? false };
}

function containersOf({ spec }: Pod): readonly (Container | EphemeralContainer)[] {
  return [...spec?.initContainers ?? [], ...spec?.containers ?? [], ...spec?.ephemeralContainers ?? []];
}

/** The requested container, or the pod's only one. */
function containerOf(subject: Pod, pod: string, name: string): string {
  const names = containersOf(subject).map(({ name }) => name);
  if (name !== "") {
    if (names.includes(name)) return name;
    throw badRequest(`container ${name} is not valid for pod ${pod}`);
  }
  const byDefault = subject.metadata?.annotations?.["kubectl.kubernetes.io/default-container"];
  if (byDefault && names.includes(byDefault)) return byDefault;
  if (names.length === 1) return names[0];
  throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${names.join(" ")}]`);
}

interface LogLine {
  readonly time: string;
  readonly text: string;
}

function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses]
    .find(({ name }) => name === container);
}

function endLine({ finishedAt, startedAt, exitCode }: Terminated, container: string): LogLine {
  const text = `simulated container ${container} ended with exit code ${exitCode}`;
  return { time: finishedAt ?? startedAt ?? "", text };
}

/** @throws {ApiError} 400 if the container has not started. */
function linesOf(subject: Pod, pod: string, container: string, isPrevious: boolean): LogLine[] {
  const { spec, metadata } = subject;
  const found = statusOf(subject, container);
  const current = isPrevious ? found?.lastState : found?.state;
  const ended = current?.terminated;
  const startedAt = current?.running?.startedAt ?? ended?.startedAt;
  if (isPrevious && !ended) throw badRequest(`previous terminated container "${container}" in pod "${pod}" not found`);
  if (!startedAt) {
    const reason = current?.waiting?.reason ?? "ContainerCreating";
    const isPull = /^(ErrImage|ImagePull)/.test(reason);
    const why = isPull ? "trying and failing to pull image" : `waiting to start: ${reason}`;
    throw badRequest(`container "${container}" in pod "${pod}" is ${why}`);
  }
  const image = containersOf(subject).find(({ name }) => name === container)?.image ?? "";
  const where = `${metadata?.namespace}/${pod} on ${spec?.nodeName}`;
  const first = { time: startedAt, text: `simulated container ${container} (image ${image}) of ${where} started` };
  return ended ? [first, endLine(ended, container)] : [first];
}

/** What a container has logged since it started at `time`, including how it ended; `undefined` while it runs. */
function newLines(pod: Pod, container: string, { time }: LogLine): LogLine[] | undefined {
  const { state, lastState } = statusOf(pod, container) ?? {};
  if (state?.running?.startedAt === time) return undefined;
  const ended = state?.terminated ?? lastState?.terminated;
  return ended ? [endLine(ended, container)] : [];
}

/** `bytes`, followed by `rest` once there is any. Also ends with the pod and with the server. */
function followed(
  { state: { store }, route: { served, namespace, name }, request: { signal }, watches }: Exchange,
  bytes: Uint8Array,
  rest: (pod: Pod) => Uint8Array | undefined,
): ReadableStream<Uint8Array> {
  const ends: (() => void)[] = [];
  const stop = () => ends.splice(0).forEach((end) => end());
  return new ReadableStream({
    start(controller) {
      const end = (last: Uint8Array = new Uint8Array()) => {
        stop();
        if (last.length > 0) controller.enqueue(last);
        controller.close();
      };
      const abort = () => {
        stop();
        controller.error(signal.reason);
      };
      const key = keyOf(served, namespace, name);
      ends.push(
        store.subscribe(served.collection, ({ type, object, ...event }) => {
          if (event.key !== key) return;
          const last = rest(object as Pod);
          if (last || type === "DELETED") end(last);
        }),
        watches.endWith(served.collection, end),
        () => signal.removeEventListener("abort", abort),
      );
      if (bytes.length > 0) controller.enqueue(bytes);
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
    },
    cancel: stop,
  });
}

import { parseTime, type Pod } from "../../../api/mod.ts";
import { errorText } from "../../../base/mod.ts";
import { badRequest, invalid } from "../base/mod.ts";
import { type Exchange, storedObject } from "../exchange/mod.ts";
import { booleanParameter, integerParameter } from "../requests/mod.ts";
import { FieldErrors } from "../validation/mod.ts";

/** What of a log is asked for. */
interface LogOptions {
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceMs?: number;
  readonly timestamps: boolean;
}

/**
 * Serves a container's log: what a simulated container has to say, which is when it started and, once it has, how it ended. A log
 * that is followed ends at once, for nothing more comes. Upstream: `pkg/registry/core/pod/rest/log.go`.
 */
// deno-lint-ignore require-await -- what is refused is refused as by all handlers: by a promise
export async function handleLog(exchange: Exchange): Promise<Response> {
  const { query, route, state } = exchange;
  const options = logOptions(exchange);
  const pod = storedObject(exchange) as Pod;
  const container = containerOf(pod, route.name, query.get("container") ?? "");
  if (!pod.spec?.nodeName) return new Response(null, { status: 204 });
  const lines = linesOf(pod, route.name, container, booleanParameter(query, "previous") ?? false);
  const since = options.sinceMs ?? -Infinity;
  const recent = lines.filter(({ time }) => parseTime(time) >= since && parseTime(time) <= state.world.clock.wallMs());
  const tail = recent.slice(Math.max(0, recent.length - (options.tailLines ?? Infinity)));
  const text = tail.map(({ time, text }) => `${options.timestamps ? `${time} ` : ""}${text}\n`).join("");
  const bytes = new TextEncoder().encode(text).subarray(0, options.limitBytes);
  return new Response(bytes, { headers: { "content-type": "text/plain" } });
}

/** @throws {ApiError} 400 or 422 for parameters that cannot be. */
function logOptions({ query, route, state }: Exchange): LogOptions {
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
  if (errors.count > 0) {
    throw invalid({ group: "", plural: "pods", kind: "PodLogOptions" }, route.name, errors.causes);
  }
  const nowMs = state.world.clock.wallMs();
  const sinceMs = sinceSeconds === undefined ? sinceTime && timeOf(sinceTime) : nowMs - sinceSeconds * 1000;
  return {
    tailLines,
    limitBytes,
    timestamps: booleanParameter(query, "timestamps") ?? false,
    ...typeof sinceMs === "number" ? { sinceMs } : {},
  };
}

function timeOf(text: string): number {
  try {
    return parseTime(text);
  } catch (error) {
    throw badRequest(errorText(error));
  }
}

/** The container that is meant: the one that is named, or the only one that there is. */
function containerOf({ metadata, spec }: Pod, pod: string, name: string): string {
  const regular = spec?.containers ?? [];
  const names = [...spec?.initContainers ?? [], ...regular, ...spec?.ephemeralContainers ?? []].map(({ name }) => name);
  if (name !== "") {
    if (names.includes(name)) return name;
    throw badRequest(`container ${name} is not valid for pod ${pod}`);
  }
  const byDefault = metadata?.annotations?.["kubectl.kubernetes.io/default-container"];
  if (byDefault && names.includes(byDefault)) return byDefault;
  if (names.length === 1) return names[0];
  throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${names.join(" ")}]`);
}

interface LogLine {
  readonly time: string;
  readonly text: string;
}

/** @throws {ApiError} 400 if the container has not started. */
function linesOf({ spec, status, metadata }: Pod, pod: string, container: string, isPrevious: boolean): LogLine[] {
  const statuses = [
    ...status?.initContainerStatuses ?? [],
    ...status?.containerStatuses ?? [],
    ...status?.ephemeralContainerStatuses ?? [],
  ];
  const found = statuses.find(({ name }) => name === container);
  const current = isPrevious ? found?.lastState : found?.state;
  const ended = current?.terminated;
  const startedAt = current?.running?.startedAt ?? ended?.startedAt;
  if (isPrevious && !ended) {
    throw badRequest(`previous terminated container "${container}" in pod "${pod}" not found`);
  }
  if (!startedAt) {
    const reason = current?.waiting?.reason ?? "ContainerCreating";
    const why = /^(ErrImage|ImagePull)/.test(reason)
      ? "trying and failing to pull image"
      : `waiting to start: ${reason}`;
    throw badRequest(`container "${container}" in pod "${pod}" is ${why}`);
  }
  const containers = [...spec?.initContainers ?? [], ...spec?.containers ?? [], ...spec?.ephemeralContainers ?? []];
  const image = containers.find(({ name }) => name === container)?.image ?? "";
  const where = `${metadata?.namespace}/${pod} on ${spec?.nodeName}`;
  const lines = [{ time: startedAt, text: `simulated container ${container} (image ${image}) of ${where} started` }];
  if (!ended) return lines;
  const time = ended.finishedAt ?? startedAt;
  return [...lines, { time, text: `simulated container ${container} ended with exit code ${ended.exitCode}` }];
}

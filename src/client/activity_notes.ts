import { errorText } from "../base/mod.ts";
import { type Activity } from "./activity.ts";
import { groupResource, joinKey, type KubeObject, type Resource } from "../api/mod.ts";
import type { Write, WriteNote } from "./activity.ts";
import type { Call } from "./call.ts";

/** How much of an error's text is kept. */
const ERROR_LENGTH = 300;

const VERBS = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete", GET: "update" } as const;

/** Records that a piece of work read or wrote the object in the answer to `call`, which names a resource. */
export function noteAnswer(activity: Activity, call: Call, answer: unknown): void {
  if (call.method === "GET") activity.read(groupResource(call.resource!), whatIsRead(call), countOf(answer));
  else activity.wrote(new SentWrite(call, { metadata: (answer as KubeObject | undefined)?.metadata }));
}

/** Records that a write of a piece of work failed. A failed read has read nothing. */
export function noteFailure(activity: Activity, call: Call, error: unknown): void {
  if (call.method === "GET" || !call.resource) return;
  const text = errorText(error).slice(0, ERROR_LENGTH);
  activity.wrote(new SentWrite(call, { error: text }));
}

/** There is one for every write, so it only references strings that exist already. */
class SentWrite implements Write {
  readonly #method: Call["method"];
  readonly #resource: Resource;
  readonly #path: string;
  /** Where the path ends before it. */
  readonly #name: string;
  readonly #resourceVersion: string | undefined;
  readonly #error: string | undefined;

  constructor(
    { method, resource, path, name }: Call,
    { metadata, error }: { readonly metadata?: KubeObject["metadata"]; readonly error?: string },
  ) {
    this.#method = method;
    this.#resource = resource!;
    this.#path = path;
    this.#name = metadata?.name ?? name ?? "";
    this.#resourceVersion = metadata?.resourceVersion;
    this.#error = error;
  }

  get bytes(): number {
    return this.#path.length + (this.#error?.length ?? 0);
  }

  get note(): WriteNote {
    const { namespace, name, subresource } = targetOf(this.#path, this.#resource);
    const isCollection = this.#method === "DELETE" && name === undefined;
    return {
      verb: isCollection ? "deletecollection" : VERBS[this.#method],
      resource: groupResource(this.#resource),
      kind: this.#resource.kind,
      key: joinKey(namespace, isCollection ? "*" : name ?? this.#name),
      subresource,
      // A list's version says nothing about its objects.
      resourceVersion: isCollection ? undefined : this.#resourceVersion,
      error: this.#error,
    };
  }
}

/** Describes a read from the API server: a key, or a selection. */
function whatIsRead(call: Call): string {
  const { namespace, name } = targetOf(call.path, call.resource!);
  if (name !== undefined) return `${joinKey(namespace, name)} (live)`;
  const { labelSelector, fieldSelector } = call.query ?? {};
  const chosen = [namespace && `namespace=${namespace}`, labelSelector, fieldSelector].filter(Boolean);
  return `${chosen.length > 0 ? chosen.join(" ") : "all"} (live)`;
}

function countOf(answer: unknown): number {
  const { items } = (answer ?? {}) as { readonly items?: unknown };
  return Array.isArray(items) ? items.length : 1;
}

interface Target {
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

const NAMESPACES = "/namespaces/";

/** The path holds everything, and its builder has validated it. */
function targetOf(path: string, { group, version, plural, namespaced }: Resource): Target {
  // Behind /api/v1 or /apis/apps/v1.
  let at = group === "" ? "/api/".length + version.length : "/apis//".length + group.length + version.length;
  let namespace: string | undefined;
  if (namespaced && path.startsWith(NAMESPACES, at)) {
    const end = path.indexOf("/", at + NAMESPACES.length);
    namespace = path.slice(at + NAMESPACES.length, end);
    at = end;
  }
  at += 1 + plural.length;
  if (at >= path.length) return { namespace };
  const end = path.indexOf("/", at + 1);
  if (end < 0) return { namespace, name: decoded(path.slice(at + 1)) };
  return { namespace, name: decoded(path.slice(at + 1, end)), subresource: path.slice(end + 1) };
}

function decoded(segment: string): string {
  return segment.includes("%") ? decodeURIComponent(segment) : segment;
}

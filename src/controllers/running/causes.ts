import { joinKey, type KubeObject } from "../../api/mod.ts";
import type { Reason } from "../../workqueue/mod.ts";

/** What happened to an object. `resynced`: nothing, the cache was merely replayed. */
export type Change = "added" | "updated" | "resynced" | "deleted";

/**
 * Why a key was queued, as the journal and `kubeloop why` show it. With the object's resource version, by which the write that
 * led to it is found.
 *
 * @param kind The kind of the object that changed, in lower case.
 * @param object The object, or its key where nothing else is known of it.
 *
 * @example
 * ```ts
 * import { cause } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const metadata = { namespace: "default", name: "x", resourceVersion: "7" };
 * assertEquals(String(cause("pod", { metadata }, "updated")), "pod/default/x updated at 7");
 * assertEquals(String(cause("pod", "default/x", "deleted")), "pod/default/x deleted");
 * ```
 */
export function cause(kind: string, object: KubeObject | string, what: Change): Reason {
  const metadata = typeof object === "string" ? { name: object } : object.metadata;
  return new ObjectChange(kind, metadata, what);
}

/** A change of an object. There is one for every event: it holds on to texts that are there already, and to nothing else. */
class ObjectChange implements Reason {
  readonly #kind: string;
  readonly #namespace: string | undefined;
  readonly #name: string;
  readonly #change: Change;
  readonly #resourceVersion: string | undefined;

  constructor(kind: string, { namespace, name = "", resourceVersion }: KubeObject["metadata"] = {}, change: Change) {
    this.#kind = kind;
    this.#namespace = namespace;
    this.#name = name;
    this.#change = change;
    this.#resourceVersion = resourceVersion;
  }

  get #key(): string {
    return joinKey(this.#namespace, this.#name);
  }

  toString(): string {
    return `${this.#kind}/${this.#key} ${this.#change}${this.#resourceVersion ? ` at ${this.#resourceVersion}` : ""}`;
  }

  isSameAs(other: Reason): boolean {
    return other instanceof ObjectChange && this.#resourceVersion === other.#resourceVersion &&
      this.#change === other.#change && this.#kind === other.#kind && this.#key === other.#key;
  }
}

/** Which change an update is: none if the cache was merely replayed. */
export function changeOf(before: KubeObject, object: KubeObject): "updated" | "resynced" {
  const version = object.metadata?.resourceVersion;
  return version && before.metadata?.resourceVersion === version ? "resynced" : "updated";
}

/** A cause, read back. */
export interface CauseParts {
  /** In lower case. */
  readonly kind: string;
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
  readonly change: Change;
  readonly resourceVersion?: string;
}

const CAUSE = /^([^/ ]+)\/([^ ]+) (added|updated|resynced|deleted)(?: at ([^ :]+))?(?:: .*)?$/s;

/** Reads what {@link cause} says, perhaps followed by a colon and more words; `undefined` for any other text. */
export function parseCause(text: string): CauseParts | undefined {
  const match = CAUSE.exec(text);
  if (!match) return undefined;
  const [, kind, key, change, resourceVersion] = match;
  return { kind, key, change: change as Change, resourceVersion };
}

import { joinKey, type KubeObject } from "../../api/mod.ts";
import type { Change, ObjectChange, Reason } from "../../workqueue/mod.ts";

export type { Change };

/**
 * Why a key was queued, as the journal and `kubeloop why` show it. Includes the object's resource version, which leads
 * to the write that caused the change.
 *
 * @param kind The kind of the object that changed, in lower case.
 * @param object The object, or its key if that is all that is known.
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
  return new ChangeCause(kind, metadata, what);
}

/** A cause with more detail. It still refers to the same object. */
export function causeWith(cause: Reason, words: string): Reason {
  return new Remark(cause, words);
}

class Remark implements Reason {
  readonly #cause: Reason;
  readonly #words: string;

  constructor(cause: Reason, words: string) {
    this.#cause = cause;
    this.#words = words;
  }

  get refersTo(): Reason["refersTo"] {
    return this.#cause.refersTo;
  }

  toString(): string {
    return `${this.#cause}: ${this.#words}`;
  }

  isSameAs(other: Reason): boolean {
    return other instanceof Remark && this.#words === other.#words && this.#cause.isSameAs(other.#cause);
  }
}

/** There is one for every event, so it only references strings that exist already. */
class ChangeCause implements Reason {
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

  get refersTo(): ObjectChange {
    return {
      kind: this.#kind,
      key: this.#key,
      change: this.#change,
      resourceVersion: this.#resourceVersion || undefined,
    };
  }

  toString(): string {
    return `${this.#kind}/${this.#key} ${this.#change}${this.#resourceVersion ? ` at ${this.#resourceVersion}` : ""}`;
  }

  isSameAs(other: Reason): boolean {
    return other instanceof ChangeCause && this.#resourceVersion === other.#resourceVersion &&
      this.#change === other.#change && this.#kind === other.#kind && this.#key === other.#key;
  }
}

/** The kind of change an update is; `undefined` if the cache was merely replayed. */
export function changeOf(before: KubeObject, object: KubeObject): "updated" | "resynced" {
  const version = object.metadata?.resourceVersion;
  return version && before.metadata?.resourceVersion === version ? "resynced" : "updated";
}

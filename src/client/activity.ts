import { Ambient } from "../base/mod.ts";

/** A write request and its outcome. Plain data. */
export interface WriteNote {
  readonly verb: "create" | "update" | "patch" | "delete" | "deletecollection";
  /** With its group: `deployments.apps`. */
  readonly resource: string;
  readonly kind: string;
  /** `namespace/name`. The name is `*` for a whole collection, and the generated one if the server generated it. */
  readonly key: string;
  readonly subresource?: string;
  /** The object's resource version after the write; absent if the write failed or removed the object. */
  readonly resourceVersion?: string;
  /** The API server's error, or why there was no answer. */
  readonly error?: string;
}

/** A write that is formatted only when needed, which is seldom. Does not keep the object alive. */
export interface Write {
  readonly note: WriteNote;
  /** The approximate size of its texts in bytes. */
  readonly bytes: number;
}

/** Records what one piece of work does. */
export interface Activity {
  /**
   * Objects were looked up.
   *
   * @param resource With its group.
   * @param what The key, or the selection, such as `index=value`; ends with ` (live)` for a read from the API server.
   */
  read(resource: string, what: string, count: number): void;
  wrote(write: Write): void;
  /** `key` was postponed by `delayMs`. */
  putOff(key: unknown, delayMs: number): void;
}

/**
 * The current piece of work, such as the sync of a key. Clients and caches report reads and writes to it, so that
 * controllers need not.
 */
export const activities: Ambient<Activity> = new Ambient();

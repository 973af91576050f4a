import { Ambient } from "../base/mod.ts";

/** A write as it was asked for, and what came of it. Plain data. */
export interface WriteNote {
  readonly verb: "create" | "update" | "patch" | "delete" | "deletecollection";
  /** With its group: `deployments.apps`. */
  readonly resource: string;
  readonly kind: string;
  /** `namespace/name`; the name is `*` where all objects were meant, and what the server gave where it made it up. */
  readonly key: string;
  readonly subresource?: string;
  /** Of the object as it was then; absent after a failure, and where nothing was left. */
  readonly resourceVersion?: string;
  /** What the API server answered, or why it did not. */
  readonly error?: string;
}

/** A write that is put into words when somebody asks, since hardly anybody does. Holds on to no object. */
export interface Write {
  readonly note: WriteNote;
  /** Roughly what its texts take, in bytes. */
  readonly bytes: number;
}

/** Hears what one piece of work does. */
export interface Activity {
  /**
   * Objects were looked up.
   *
   * @param resource With its group.
   * @param what The key, or how objects were chosen: `index=value`; with ` (live)` if the API server was asked.
   */
  read(resource: string, what: string, count: number): void;
  wrote(write: Write): void;
  /** `key` was put off: it is to be worked on in `delayMs`. */
  putOff(key: unknown, delayMs: number): void;
}

/**
 * The piece of work that is going on, such as the sync of a key. Clients and caches tell it what is read and written, so that
 * those who do the work need not.
 */
export const activities: Ambient<Activity> = new Ambient();

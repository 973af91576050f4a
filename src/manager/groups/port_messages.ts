import type { ConnectionFailure, IssuedToken, TlsSettings } from "../../client/mod.ts";
import type { CloudCall, CloudFailure } from "../../cloud/mod.ts";
import type { DriverAnswer, DriverCall, Signature, SigningAlgorithm, VolumeDriver } from "../../controllers/mod.ts";

/** A group's queries to the main thread, which has the credentials. */
export type PortQuery =
  /** Send this request as the named client; with service accounts, each has its own credentials. */
  | {
    readonly about: "request";
    readonly client: string;
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: string;
  }
  /** Get the token of the client's account. `refused`: a token that the server rejected. */
  | { readonly about: "token"; readonly client: string; readonly refused?: string }
  /** Get the TLS settings for the API server. */
  | { readonly about: "tls" }
  /** Read the main thread's clock. */
  | { readonly about: "clock" }
  /** Get the public half of the key in the file that this flag names. */
  | { readonly about: "publicKey"; readonly flag: string }
  /** Sign these bytes with it. */
  | {
    readonly about: "signature";
    readonly flag: string;
    readonly algorithm: SigningAlgorithm;
    readonly data: Uint8Array<ArrayBuffer>;
  }
  /** Make a folder below `/tmp`. */
  | { readonly about: "newFolder" }
  /** Remove the folder with this path. */
  | { readonly about: "removal"; readonly path: string }
  /** Look for volume drivers. */
  | { readonly about: "drivers" }
  /** Run a driver's program. */
  | { readonly about: "driverCall"; readonly call: DriverCall }
  /** Call the cloud. */
  | { readonly about: "cloud"; readonly call: CloudCall };

/** The answers by type of query. */
export interface PortAnswers {
  readonly request: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly token: IssuedToken;
  readonly tls: TlsSettings;
  /** By the monotonic clock, after the query arrived. */
  readonly clock: { readonly heardMs: number };
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly signature: Signature;
  /** The folder's path. */
  readonly newFolder: string;
  readonly removal: true;
  readonly drivers: readonly VolumeDriver[];
  readonly driverCall: { readonly answer: DriverAnswer | undefined };
  readonly cloud: { readonly answer: unknown };
}

/** The answer to a query of that type. */
export type PortAnswer<Q extends PortQuery> = PortAnswers[Q["about"]];

/** A query with its number. */
export interface PortAsk {
  readonly what: "query";
  readonly id: number;
  readonly query: PortQuery;
}

/** The group no longer waits for an answer. */
export interface PortCancel {
  readonly what: "cancel";
  readonly id: number;
}

export interface PortReply {
  readonly what: "reply";
  readonly id: number;
  readonly answer: PortAnswers[keyof PortAnswers];
}

/** There was no answer. */
export interface PortFailure {
  readonly what: "failure";
  readonly id: number;
  /**
   * `fenced`: this process may no longer write. `undeclared`: no row of the group declares it. `unsigned`: signing
   * failed. `folder`: a folder could not be made or removed. `driver`: a volume driver failed. `cloud`: the call to the
   * cloud failed. `other`: not a connection failure.
   */
  readonly failure: ConnectionFailure | "fenced" | "undeclared" | "unsigned" | "folder" | "driver" | "cloud";
  readonly message: string;
  /** For `cloud`: the details. */
  readonly cloud?: CloudFailure;
}

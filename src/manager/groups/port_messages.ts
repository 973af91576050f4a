import type { ConnectionFailure, IssuedToken, TlsSettings } from "../../client/mod.ts";
import type { CloudCall, CloudFailure } from "../../cloud/mod.ts";
import type { DriverAnswer, DriverCall, Signature, SigningAlgorithm, VolumeDriver } from "../../controllers/mod.ts";

/** What a group asks of the main thread, which has the credentials. */
export type PortQuery =
  /** Send this, as the client of that name; with service accounts each has credentials of its own. */
  | {
    readonly about: "request";
    readonly client: string;
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: string;
  }
  /** The token of the account of that client. `refused`: the server takes this one no longer. */
  | { readonly about: "token"; readonly client: string; readonly refused?: string }
  /** What a connection to the API server is made with. */
  | { readonly about: "tls" }
  /** What the clock of the main thread shows. */
  | { readonly about: "clock" }
  /** The public half of the key in the file that this flag names. */
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
  /** Remove what has this path. */
  | { readonly about: "removal"; readonly path: string }
  /** Look for volume drivers. */
  | { readonly about: "drivers" }
  /** Run the program of one. */
  | { readonly about: "driverCall"; readonly call: DriverCall }
  /** Ask the cloud. */
  | { readonly about: "cloud"; readonly call: CloudCall };

/** The answers, by what the query was about. */
export interface PortAnswers {
  readonly request: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly token: IssuedToken;
  readonly tls: TlsSettings;
  /** By the monotonic clock, after the query had come. */
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

/** A query under a number of its own. */
export interface PortAsk {
  readonly what: "query";
  readonly id: number;
  readonly query: PortQuery;
}

/** The group waits for an answer no longer. */
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
   * `fenced`: this process may not write any more. `undeclared`: no row of the group declares it. `unsigned`: it could not be
   * signed. `folder`: a folder could not be made or removed. `driver`: a volume driver failed. `cloud`: the cloud was asked
   * and failed. `other`: none of the ways in which connections fail.
   */
  readonly failure: ConnectionFailure | "fenced" | "undeclared" | "unsigned" | "folder" | "driver" | "cloud";
  readonly message: string;
  /** Of `cloud`: what that means. */
  readonly cloud?: CloudFailure;
}

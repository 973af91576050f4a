import type { ConnectionFailure } from "../../client/mod.ts";

/** A request of a group, to be sent by the main thread, which has the credentials. */
export interface PortRequest {
  readonly what: "request";
  readonly id: number;
  /** The name of the client; with service accounts each has credentials of its own. */
  readonly client: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/** The group waits for an answer no longer. */
export interface PortCancel {
  readonly what: "cancel";
  readonly id: number;
}

/** The answer of the API server. */
export interface PortResponse {
  readonly what: "response";
  readonly id: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** There was no answer. */
export interface PortFailure {
  readonly what: "failure";
  readonly id: number;
  /** `fenced`: this process may not write any more. `other`: none of the ways in which connections fail. */
  readonly failure: ConnectionFailure | "fenced";
  readonly message: string;
}

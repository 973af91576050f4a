/** Requests that are sent to kube-apiserver and to the embedded server alike, and what is known about their answers. */

/** A part of an answer that is compared. */
export type Aspect = "status" | "contentType" | "warnings" | "reason" | "message" | "details" | "body";

/** One request. In `path`, `body` and `headers`, `{ns}` is the case's namespace and `{saved.metadata.uid}` a field of a saved answer. */
export interface Probe {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
  /** Path and query: `/api/v1/namespaces/{ns}/pods?limit=1`. */
  readonly path: string;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** `Content-Type`; `application/json` where there is a body. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Keeps the answer's body under this name, for the probes that follow. */
  readonly save?: string;
  /** Reads at most so many lines of a stream, then hangs up. */
  readonly lines?: number;
  /** Repeats the request until its answer's body is like this, for at most ten seconds: what a server does by and by. */
  readonly until?: (body: unknown) => boolean;
  /** Sent, not compared: it only prepares what follows. */
  readonly isSetup?: boolean;
  /** Fields of the body that are not compared, such as `status.conditions` or `items.*.metadata.labels`; with a reason. */
  readonly ignore?: { readonly fields: readonly string[]; readonly because: string };
  /** What differs and why. Anything else that differs fails, and so does something named here that no longer differs. */
  readonly differs?: { readonly in: readonly Aspect[]; readonly because: string };
}

/** Requests that build on each other, in a namespace of their own that has the ServiceAccount `default`. */
export interface DifferentialCase {
  readonly name: string;
  readonly probes: readonly Probe[];
  /** Sent at the end whatever happened, not compared: removes what is not in the namespace. */
  readonly cleanup?: readonly Probe[];
}

/** What both servers answered, ready to be compared. */
export type Answer = Readonly<Record<Aspect, unknown>>;

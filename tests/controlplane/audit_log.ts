/** What kube-apiserver writes down of each request. */
import type { Deployment, Pod, ReplicaSet } from "../../src/api/mod.ts";

/** A request as it was answered. */
export interface AuditedRequest {
  readonly user: string;
  /** Who had the token made with which it was sent; the user, if it came with something else. */
  readonly actor: string;
  readonly userAgent: string;
  readonly verb: string;
  /** With the subresource behind a slash; empty for paths that are no resource's. */
  readonly resource: string;
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  /** When the API server got it, and when it had answered; milliseconds since 1970. */
  readonly receivedMs: number;
  readonly answeredMs: number;
  /** What was to be created, where the rules ask for it. */
  readonly object?: Pod | ReplicaSet | Deployment;
}

interface AuditEvent {
  readonly stage: string;
  readonly user: { readonly username: string; readonly extra?: Readonly<Record<string, readonly string[]>> };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly userAgent?: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: AuditedRequest["object"];
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** What is written down; the first rule that fits counts. */
export type AuditRule = {
  readonly level: "None" | "Metadata" | "Request";
  readonly verbs?: readonly string[];
  readonly resources?: readonly { readonly group: string; readonly resources: readonly string[] }[];
};

const ALL: readonly AuditRule[] = [{ level: "Metadata" }];

/** What changes something, or tries to, and what pods and ReplicaSets are made of. */
export const WRITES: readonly AuditRule[] = [
  { level: "None", verbs: ["get", "list", "watch"] },
  {
    level: "Request",
    verbs: ["create"],
    resources: [{ group: "", resources: ["pods"] }, { group: "apps", resources: ["replicasets"] }],
  },
  { level: "Metadata" },
];

/** The audit log of one control plane, in a folder of its own. */
export class AuditLog implements AsyncDisposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes a log by `rules`; by default every request is in it once: as it is answered, watches as they begin. */
  static async create(rules = ALL): Promise<AuditLog> {
    const folder = await Deno.makeTempDir({ prefix: "kubeloop-audit-" });
    const policy = { apiVersion: "audit.k8s.io/v1", kind: "Policy", omitStages: ["RequestReceived", "Panic"], rules };
    await Deno.writeTextFile(`${folder}/policy.json`, JSON.stringify(policy));
    return new AuditLog(folder);
  }

  /** What makes kube-apiserver write it; in this process's time, so that what was answered has been written. */
  get flags(): string[] {
    return [
      `--audit-policy-file=${this.#folder}/policy.json`,
      `--audit-log-path=${this.#folder}/audit.log`,
      "--audit-log-mode=blocking",
      "--audit-log-maxsize=1000",
    ];
  }

  /** Every request so far, in the order in which they were answered. */
  async requests(): Promise<AuditedRequest[]> {
    const text = await Deno.readTextFile(`${this.#folder}/audit.log`);
    const events = text.split("\n").filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as AuditEvent);
    const issuers = new Map(
      events.flatMap(({ annotations, user }) => {
        const id = annotations?.["authentication.kubernetes.io/issued-credential-id"];
        return id === undefined ? [] : [[id, user.username]];
      }),
    );
    return events.filter(({ stage, verb }) => stage === (verb === "watch" ? "ResponseStarted" : "ResponseComplete"))
      .map((event) => requestOf(event, issuers));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#folder, { recursive: true });
  }
}

function requestOf(
  { user, userAgent = "", verb, requestURI, objectRef = {}, responseStatus, ...event }: AuditEvent,
  /** Who had a token made, by its id. */
  issuers: ReadonlyMap<string, string>,
): AuditedRequest {
  const { resource = "", subresource, namespace = "", name = "" } = objectRef;
  const [credential = ""] = user.extra?.["authentication.kubernetes.io/credential-id"] ?? [];
  return {
    user: user.username,
    actor: issuers.get(credential) ?? user.username,
    userAgent,
    verb,
    resource: subresource ? `${resource}/${subresource}` : resource,
    path: requestURI,
    namespace,
    name,
    code: responseStatus?.code ?? 0,
    receivedMs: millisecondsOf(event.requestReceivedTimestamp),
    answeredMs: millisecondsOf(event.stageTimestamp),
    object: event.requestObject,
  };
}

/** Of a timestamp with microseconds, as a fraction. */
function millisecondsOf(timestamp: string): number {
  const [, seconds, fraction] = /^(.*?)\.(\d+)Z$/.exec(timestamp) ?? [];
  return Date.parse(`${seconds}Z`) + Number(`0.${fraction}`) * 1000;
}

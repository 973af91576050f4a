import type { Body } from "./body.ts";

const GROUP = "flowcontrol.apiserver.k8s.io";
const ANNOTATIONS = { "apf.kubernetes.io/autoupdate-spec": "true" };
const ALL = ["*"];

/** How many requests of a priority level are served at once, relative to others, and how the rest queue. */
interface LevelRow {
  readonly shares: number;
  readonly lendablePercent: number;
  /** Absent if the rest are rejected. */
  readonly queues?: { readonly handSize: number; readonly queues: number };
}

/** Upstream: `apiserver/pkg/apis/flowcontrol/bootstrap/default.go`. Only stored and shown; there are no limits. */
const LEVELS: Readonly<Record<string, LevelRow>> = {
  "catch-all": { shares: 5, lendablePercent: 0 },
  "global-default": { shares: 20, lendablePercent: 50, queues: { handSize: 6, queues: 128 } },
  "leader-election": { shares: 10, lendablePercent: 0, queues: { handSize: 4, queues: 16 } },
  "node-high": { shares: 40, lendablePercent: 25, queues: { handSize: 6, queues: 64 } },
  "system": { shares: 30, lendablePercent: 33, queues: { handSize: 6, queues: 64 } },
  "workload-high": { shares: 40, lendablePercent: 50, queues: { handSize: 6, queues: 128 } },
  "workload-low": { shares: 100, lendablePercent: 90, queues: { handSize: 6, queues: 128 } },
};

/** Which requests of which users have which priority level. */
interface SchemaRow {
  readonly level: string;
  readonly precedence: number;
  readonly distinguishes?: "ByUser" | "ByNamespace";
  /** `g:` and a group, `u:` and a user; `kube-system` for the service accounts there. */
  readonly of: readonly string[];
  /** All requests if absent. */
  readonly rules?: Readonly<Record<string, unknown>>;
}

const EVERYTHING = {
  nonResourceRules: [{ nonResourceURLs: ALL, verbs: ALL }],
  resourceRules: [{ apiGroups: ALL, clusterScope: true, namespaces: ALL, resources: ALL, verbs: ALL }],
};
const EVERYBODY = ["g:system:unauthenticated", "g:system:authenticated"];
const MANAGER = "u:system:kube-controller-manager";
const SCHEDULER = "u:system:kube-scheduler";
const leases = (verbs: readonly string[]) => ({
  apiGroups: ["coordination.k8s.io"],
  namespaces: ALL,
  resources: ["leases"],
  verbs,
});

const SCHEMAS: Readonly<Record<string, SchemaRow>> = {
  "catch-all": { level: "catch-all", precedence: 10_000, distinguishes: "ByUser", of: EVERYBODY },
  "exempt": { level: "exempt", precedence: 1, of: ["g:system:masters"] },
  "global-default": { level: "global-default", precedence: 9900, distinguishes: "ByUser", of: EVERYBODY },
  "kube-controller-manager": { level: "workload-high", precedence: 800, distinguishes: "ByNamespace", of: [MANAGER] },
  "kube-scheduler": { level: "workload-high", precedence: 800, distinguishes: "ByNamespace", of: [SCHEDULER] },
  "kube-system-service-accounts": {
    level: "workload-high",
    precedence: 900,
    distinguishes: "ByNamespace",
    of: ["kube-system"],
  },
  "probes": {
    level: "exempt",
    precedence: 2,
    of: EVERYBODY,
    rules: { nonResourceRules: [{ nonResourceURLs: ["/healthz", "/readyz", "/livez"], verbs: ["get"] }] },
  },
  "service-accounts": {
    level: "workload-low",
    precedence: 9000,
    distinguishes: "ByUser",
    of: ["g:system:serviceaccounts"],
  },
  "system-leader-election": {
    level: "leader-election",
    precedence: 100,
    distinguishes: "ByUser",
    of: [MANAGER, SCHEDULER, "kube-system"],
    rules: { resourceRules: [leases(["get", "create", "update"])] },
  },
  "system-node-high": {
    level: "node-high",
    precedence: 400,
    distinguishes: "ByUser",
    of: ["g:system:nodes"],
    rules: {
      resourceRules: [
        { apiGroups: [""], clusterScope: true, namespaces: ALL, resources: ["nodes", "nodes/status"], verbs: ALL },
        leases(ALL),
      ],
    },
  },
  "system-nodes": { level: "system", precedence: 500, distinguishes: "ByUser", of: ["g:system:nodes"] },
};

/** The priority levels and flow schemas that every cluster has, by collection. */
export function flowControlObjects(
  nowText: string,
): ReadonlyArray<readonly [collection: string, bodies: readonly Body[]]> {
  const exempt = { type: "Exempt", exempt: { lendablePercent: 0, nominalConcurrencyShares: 0 } };
  return [
    [`prioritylevelconfigurations.${GROUP}`, [
      level("exempt", exempt),
      ...Object.entries(LEVELS).map(([name, row]) => level(name, limited(row))),
    ]],
    [`flowschemas.${GROUP}`, Object.entries(SCHEMAS).map(([name, row]) => schema(name, row, nowText))],
  ];
}

function level(name: string, spec: object): Body {
  return { metadata: { name, annotations: ANNOTATIONS }, spec, status: {} };
}

function limited({ shares, lendablePercent, queues }: LevelRow): object {
  const limitResponse = queues ? { type: "Queue", queuing: { ...queues, queueLengthLimit: 50 } } : { type: "Reject" };
  return { type: "Limited", limited: { lendablePercent, limitResponse, nominalConcurrencyShares: shares } };
}

function schema(name: string, row: SchemaRow, nowText: string): Body {
  const { level, precedence, distinguishes, of, rules = EVERYTHING } = row;
  const message = `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`;
  return {
    metadata: { name, annotations: ANNOTATIONS },
    spec: {
      ...distinguishes ? { distinguisherMethod: { type: distinguishes } } : {},
      matchingPrecedence: precedence,
      priorityLevelConfiguration: { name: level },
      rules: [{ ...rules, subjects: of.map(subject) }],
    },
    status: {
      conditions: [{ type: "Dangling", status: "False", reason: "Found", message, lastTransitionTime: nowText }],
    },
  };
}

function subject(of: string): object {
  if (of.startsWith("g:")) return { kind: "Group", group: { name: of.slice(2) } };
  if (of.startsWith("u:")) return { kind: "User", user: { name: of.slice(2) } };
  return { kind: "ServiceAccount", serviceAccount: { name: "*", namespace: of } };
}

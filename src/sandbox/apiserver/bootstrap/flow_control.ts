import type { Bodies, Body } from "./body.ts";

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

/**
 * Which requests of whom have which priority level, and how flows are told apart: name, level, precedence,
 * distinguisher, subjects, and rules unless they are for everything. A subject is `g:` and a group, `u:` and a user, or
 * `kube-system` for the service accounts there.
 */
type SchemaRow = readonly [string, string, number, "ByUser" | "ByNamespace" | undefined, readonly string[], object?];

const SCHEMAS: readonly SchemaRow[] = [
  ["catch-all", "catch-all", 10_000, "ByUser", EVERYBODY],
  ["exempt", "exempt", 1, undefined, ["g:system:masters"]],
  ["global-default", "global-default", 9900, "ByUser", EVERYBODY],
  ["kube-controller-manager", "workload-high", 800, "ByNamespace", [MANAGER]],
  ["kube-scheduler", "workload-high", 800, "ByNamespace", [SCHEDULER]],
  ["kube-system-service-accounts", "workload-high", 900, "ByNamespace", ["kube-system"]],
  ["probes", "exempt", 2, undefined, EVERYBODY, {
    nonResourceRules: [{ nonResourceURLs: ["/healthz", "/readyz", "/livez"], verbs: ["get"] }],
  }],
  ["service-accounts", "workload-low", 9000, "ByUser", ["g:system:serviceaccounts"]],
  ["system-leader-election", "leader-election", 100, "ByUser", [MANAGER, SCHEDULER, "kube-system"], {
    resourceRules: [leases(["get", "create", "update"])],
  }],
  ["system-node-high", "node-high", 400, "ByUser", ["g:system:nodes"], {
    resourceRules: [
      { apiGroups: [""], clusterScope: true, namespaces: ALL, resources: ["nodes", "nodes/status"], verbs: ALL },
      leases(ALL),
    ],
  }],
  ["system-nodes", "system", 500, "ByUser", ["g:system:nodes"]],
];

/** The priority levels and flow schemas that every cluster has, by collection. */
export function flowControlObjects(nowText: string): Bodies {
  const exempt = { type: "Exempt", exempt: { lendablePercent: 0, nominalConcurrencyShares: 0 } };
  return [
    [`prioritylevelconfigurations.${GROUP}`, [
      level("exempt", exempt),
      ...Object.entries(LEVELS).map(([name, row]) => level(name, limited(row))),
    ]],
    [`flowschemas.${GROUP}`, SCHEMAS.map((row) => schema(row, nowText))],
  ];
}

function level(name: string, spec: object): Body {
  return { metadata: { name, annotations: ANNOTATIONS }, spec, status: {} };
}

function limited({ shares, lendablePercent, queues }: LevelRow): object {
  const limitResponse = queues ? { type: "Queue", queuing: { ...queues, queueLengthLimit: 50 } } : { type: "Reject" };
  return { type: "Limited", limited: { lendablePercent, limitResponse, nominalConcurrencyShares: shares } };
}

function schema([name, level, precedence, distinguishes, of, rules = EVERYTHING]: SchemaRow, nowText: string): Body {
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

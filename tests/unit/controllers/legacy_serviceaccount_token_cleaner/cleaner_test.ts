import { assertEquals, assertThrows } from "@std/assert";
import {
  type ConfigMap,
  CONFIGMAPS,
  type KubeObject,
  type Pod,
  PODS,
  type Resource,
  type Secret,
  SECRETS,
  type ServiceAccount,
  SERVICEACCOUNTS,
} from "../../../../src/api/mod.ts";
import type { Lister } from "../../../../src/cache/mod.ts";
import type { Controller } from "../../../../src/controllers/mod.ts";
import { LEGACY_SERVICEACCOUNT_TOKEN_CLEANER_CONTROLLER as ROW } from "../../../../src/controllers/legacy_serviceaccount_token_cleaner/mod.ts";
import { fakeContext } from "../context.ts";
import { NOW_MS, Rig } from "../token_secrets/rig.ts";

const LAST_USED = "kubernetes.io/legacy-token-last-used";
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const DAY_MS = 24 * 3_600_000;
const GET = "GET configmaps/kube-apiserver-legacy-service-account-token-tracking";
const TODAY = "2026-01-01";

interface Given {
  /** What the API server says; absent for no ConfigMap. */
  readonly data?: ConfigMap["data"];
  /** Days before today up to which tokens count as unused. */
  readonly periodDays?: number;
  readonly secret?: Partial<Secret>;
  readonly metadata?: Secret["metadata"];
  readonly account?: ServiceAccount;
  readonly pods?: readonly Pod[];
}

const ACCOUNT: ServiceAccount = {
  metadata: { namespace: "default", name: "default", uid: "12345" },
  secrets: [{ name: "token-secret-1" }],
};
const ANNOTATIONS = {
  "kubernetes.io/service-account.name": "default",
  "kubernetes.io/service-account.uid": "12345",
};

function secretWith({ secret, metadata }: Given): Secret {
  return {
    type: "kubernetes.io/service-account-token",
    ...secret,
    metadata: {
      namespace: "default",
      name: "token-secret-1",
      uid: "23456",
      annotations: ANNOTATIONS,
      creationTimestamp: "2025-12-01T00:00:00Z",
      ...metadata,
    },
  };
}

/** What a cleaner that starts asks of the API server after it has asked since when tokens are tracked. */
async function requestsOf(given: Given, { passes = 1 } = {}): Promise<{ requests: string[]; bodies: unknown[] }> {
  const { data = { since: "2025-12-01" }, periodDays = 10, account = ACCOUNT, pods = [] } = given;
  using rig = new Rig();
  const name = "kube-apiserver-legacy-service-account-token-tracking";
  rig.server.storeUnchecked(CONFIGMAPS, { metadata: { namespace: "kube-system", name, uid: "1" }, data });
  const informer = <T extends KubeObject>(resource: Resource<T>, lister: Lister<T>) =>
    [resource, { lister, hasSynced: true, whenSynced: () => Promise.resolve(true) }] as const;
  const informers = [
    informer(SERVICEACCOUNTS, await rig.cached(SERVICEACCOUNTS, [account])),
    informer(SECRETS, await rig.cached(SECRETS, [secretWith(given)])),
    informer(PODS, await rig.cached(PODS, pods)),
  ];
  const context = fakeContext({ world: rig.world, client: rig.client, informers });
  const cleaner = ROW.build!(context, { cleanUpPeriodMs: periodDays * DAY_MS }) as Controller;
  rig.requests.length = rig.bodies.length = 0;
  const stop = new AbortController();
  const running = cleaner.run(stop.signal);
  await rig.world.clock.advance((passes - 1) * DAY_MS);
  stop.abort();
  await running;
  assertEquals(rig.world.clock.pendingTimers, 0);
  const [first, ...requests] = rig.requests;
  assertEquals(first, GET);
  return { requests, bodies: rig.bodies };
}

const mounting = (secretName: string, namespace = "default"): Pod => ({
  metadata: { namespace, name: "p", uid: "p" },
  spec: { containers: [], volumes: [{ name: "v", secret: { secretName } }] },
  status: { phase: "Succeeded" },
});
const labels = (used: string | undefined, marked?: string) => ({
  metadata: {
    labels: {
      ...used === undefined ? {} : { [LAST_USED]: used },
      ...marked === undefined ? {} : { [INVALID_SINCE]: marked },
    },
  },
});
const named = (annotations: Record<string, string>) => ({ metadata: { annotations } });

/** With a period of ten days, 2025-12-22 is the first day that counts. */
const ROWS: readonly [string, Given, "nothing" | "mark" | "delete"][] = [
  ["no date", { data: {} }, "nothing"],
  ["a malformed date", { data: { since: "2025-12-01-1" } }, "nothing"],
  ["the period has just not passed", { data: { since: "2025-12-22" } }, "nothing"],
  ["the period has just passed", { data: { since: "2025-12-21" } }, "mark"],
  ["opaque", { secret: { type: "Opaque" } }, "nothing"],
  ["not listed", { account: { ...ACCOUNT, secrets: [{ name: "other" }] } }, "nothing"],
  ["made within the period", { metadata: { creationTimestamp: "2025-12-22T00:00:00Z" } }, "nothing"],
  ["made just before it", { metadata: { creationTimestamp: "2025-12-21T23:59:59Z" } }, "mark"],
  ["being deleted", { metadata: { deletionTimestamp: "2025-12-30T00:00:00Z" } }, "nothing"],
  ["used within the period", labels("2025-12-22"), "nothing"],
  ["last used on a malformed day", labels("2025-12-01-1"), "nothing"],
  ["used on a day that never was", labels("2025-02-30"), "nothing"],
  ["another account", { account: { ...ACCOUNT, metadata: { ...ACCOUNT.metadata, name: "other" } } }, "nothing"],
  ["another UID", { account: { ...ACCOUNT, metadata: { ...ACCOUNT.metadata, uid: "other" } } }, "nothing"],
  ["no name", named({ "kubernetes.io/service-account.name": "" }), "nothing"],
  ["no UID", named({ "kubernetes.io/service-account.name": "default" }), "mark"],
  ["never used", {}, "mark"],
  ["used before", labels("2025-12-21"), "mark"],
  ["marked on a malformed day", labels(undefined, "2025-12-01-1"), "mark"],
  ["marked within the period", labels(undefined, "2025-12-22"), "nothing"],
  ["marked before", labels(undefined, "2025-12-21"), "delete"],
  ["mounted", { pods: [mounting("token-secret-1")] }, "nothing"],
  ["mounted elsewhere", { pods: [mounting("token-secret-1", "other")] }, "mark"],
  ["another one is mounted", { pods: [mounting("other")] }, "mark"],
  ["used and marked before", labels("2025-12-01", "2025-12-02"), "delete"],
  ["marked before and used since", labels("2025-12-30", "2025-12-02"), "nothing"],
];

const REQUESTS = { nothing: [], mark: ["PATCH secrets/token-secret-1"], delete: ["DELETE secrets/token-secret-1"] };

Deno.test("Legacy tokens: an unused token is marked, and deleted once it has been marked for the period", async () => {
  for (const [row, given, fate] of ROWS) assertEquals((await requestsOf(given)).requests, REQUESTS[fate], row);
});

Deno.test("Legacy tokens: the mark names the Secret's UID, and the deletion its version", async () => {
  const metadata = { name: "token-secret-1", namespace: "default", uid: "23456", labels: { [INVALID_SINCE]: TODAY } };
  assertEquals((await requestsOf({})).bodies, [{ kind: "Secret", apiVersion: "v1", metadata }]);
  const { bodies: [body] } = await requestsOf(labels(undefined, "2025-12-01"));
  const { preconditions } = body as { preconditions: { uid?: string; resourceVersion?: string } };
  assertEquals([preconditions.uid, /^\d+$/.test(preconditions.resourceVersion!)], [undefined, true]);
});

Deno.test("Legacy tokens: a pass comes a day after the last has ended, and goes by the new day", async () => {
  const { requests } = await requestsOf({ ...labels("2025-12-22") }, { passes: 3 });
  // The cache of this test never hears of the mark.
  assertEquals(requests, [GET, ...REQUESTS.mark, GET, ...REQUESTS.mark]);
});

Deno.test("Legacy tokens: a period of zero or less is refused", () => {
  for (const cleanUpPeriodMs of [0, -1000]) {
    assertThrows(
      () => ROW.build!(fakeContext({ world: new Rig().world, client: {}, informers: [] }), { cleanUpPeriodMs }),
      Error,
      `failed to init the legacy service account token cleaner: invalid CleanUpPeriod: ${cleanUpPeriodMs / 1000}s`,
    );
  }
});

Deno.test("Legacy tokens: the days of these tests are counted from the first of January", () => {
  assertEquals(new Date(NOW_MS).toISOString().slice(0, 10), TODAY);
});

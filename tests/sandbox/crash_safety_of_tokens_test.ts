/** Tokens and aggregated roles whose manager is killed at each of its writes: the next one ends where the first would have. */
import { assert, assertEquals } from "@std/assert";
import { type CrashOptions, type TestCluster, withTestCluster } from "kubeloop/testing";
import { CLUSTERROLES, CONFIGMAPS, SECRETS, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import type { Kit } from "../scenarios/kit.ts";
import * as bootstrap from "../scenarios/bootstrap_kit.ts";
import * as roles from "../scenarios/role_kit.ts";
import { account, tokenSecret, untilFilled } from "../scenarios/token_kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const UNUSED = "kubernetes.io/legacy-token-invalid-since";
const OTHER_AUTHORITY = btoa("a certificate authority for tests\n");

/** Tokens that nobody has used for years. */
async function oldTokens(kit: Kit, { apiServer }: TestCluster): Promise<void> {
  await account(kit, "old", "unused", "marked");
  const old = await kit.get(SERVICEACCOUNTS, "old");
  for (const name of ["unused", "marked"]) {
    const labels: Record<string, string> = name === "marked" ? { [UNUSED]: "2020-01-01" } : {};
    const secret = tokenSecret(name, "old", { uid: old.metadata!.uid! });
    const data = { token: btoa("x"), namespace: btoa("x"), "ca.crt": OTHER_AUTHORITY };
    const metadata = { namespace: kit.namespace, uid: name, labels, creationTimestamp: "2020-01-01T00:00:00Z" };
    apiServer.storeUnchecked(SECRETS, { ...secret, data, metadata: { ...secret.metadata, ...metadata } });
  }
}

/** Such tokens, as the cleaner finds them in its next pass. */
async function unusedTokens(kit: Kit, cluster: TestCluster): Promise<void> {
  await oldTokens(kit, cluster);
  const since = { data: { since: "2020-01-01" } };
  const name = "kube-apiserver-legacy-service-account-token-tracking";
  await kit.client.patch(CONFIGMAPS, { namespace: "kube-system", name }, { type: "merge", body: since });
  await cluster.advance(25 * 3_600_000);
  await cluster.settle();
}

/** Gives four controllers something to do. */
async function tokensAndRoles(kit: Kit, cluster: TestCluster): Promise<void> {
  await account(kit, "bot", "a", "b");
  for (const name of ["a", "b", "c"]) await kit.create(SECRETS, tokenSecret(name, "bot"));
  await kit.create(SECRETS, tokenSecret("lost", "nobody"));
  await oldTokens(kit, cluster);
  await roles.role(kit, "part", { rules: [roles.rule("x")], labels: { part: "1" } });
  await roles.role(kit, "half", { selects: [{ part: "1" }], labels: { part: "2" } });
  await roles.role(kit, "whole", { selects: [{ part: "2" }] });
  await bootstrap.clusterInfo(kit, { data: { kubeconfig: bootstrap.CONTENT } });
  await bootstrap.token(kit, "aaaaaa");
  await bootstrap.token(kit, "bbbbbb", { data: { expiration: "long ago" } });
  await worked(kit);
  await cluster.settle();
  await kit.delete(SECRETS, "b");
  await cluster.settle();
}

/** Waits until all is done: to sign takes real time, which the clock knows nothing of. */
async function worked(kit: Kit): Promise<void> {
  for (const name of ["a", "b", "c"]) await untilFilled(kit, name);
  for (const name of ["unused", "marked"]) {
    await kit.until(SECRETS, name, "has the authority", ({ data }) => data?.["ca.crt"] !== OTHER_AUTHORITY);
  }
  await kit.untilGone(SECRETS, "lost");
  await roles.untilRules(kit, "whole", "x");
  await bootstrap.untilCleaned(kit, "bbbbbb");
  await bootstrap.untilSigned(kit, "aaaaaa");
}

interface Scenario {
  readonly name: string;
  readonly flags: readonly string[];
  run(kit: Kit, cluster: TestCluster): Promise<void>;
  /** How many writes it makes at least. */
  readonly atLeast: number;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: "Tokens and roles",
    flags: [
      "--controllers=serviceaccount,bootstrapsigner,tokencleaner,clusterrole-aggregation",
      "--service-account-private-key-file=/sa.key",
    ],
    run: tokensAndRoles,
    atLeast: 10,
  },
  {
    // By itself, since each run takes a day.
    name: "Unused tokens",
    flags: [
      "--controllers=legacy-service-account-token-cleaner",
      "--legacy-service-account-token-clean-up-period=720h",
    ],
    run: unusedTokens,
    atLeast: 2,
  },
];

/** What has come of it; of tokens what they say. */
async function outcome(kit: Kit): Promise<unknown> {
  const secrets = await kit.list(SECRETS);
  const { items: infos } = await kit.client.list(CONFIGMAPS, { namespace: "kube-public" });
  const { items: tokens } = await kit.client.list(SECRETS, { namespace: "kube-system" });
  return {
    secrets: secrets.map(({ metadata, data = {} }) => ({
      name: metadata?.name,
      keys: Object.keys(data).sort(),
      isMarked: metadata?.labels?.[UNUSED] !== undefined,
      claims:
        JSON.parse(atob(atob(data.token).split(".")[1] || btoa("{}")))["kubernetes.io/serviceaccount/secret.name"],
    })),
    // A Secret that went while nobody looked stays on its account's list, under upstream's manager too: it may come yet.
    listed: (await kit.find(SERVICEACCOUNTS, "bot"))?.secrets?.filter(({ name }) => name !== "b"),
    rules: (await kit.client.list(CLUSTERROLES)).items.map(({ metadata, rules }) => [metadata?.name, rules]),
    info: infos.find(({ metadata }) => metadata?.name === "cluster-info")?.data,
    tokens: tokens.map(({ metadata }) => metadata?.name),
  };
}

interface Played {
  readonly writes: number;
  readonly outcome: unknown;
}

function play({ flags, run }: Scenario, crash?: CrashOptions): Promise<Played> {
  return withTestCluster({ flags, nodes: 0 }, async (cluster) => {
    const namespace = await cluster.namespace("crash");
    await cluster.settle();
    const before = cluster.managerWrites;
    const kit = kitOf(cluster, namespace);
    let isDead = false;
    if (crash) {
      void cluster.crashManager(crash).then(() => {
        isDead = true;
        cluster.startManager();
      });
    }
    await run(kit, cluster);
    assert(!crash || isDead, `${JSON.stringify(crash)}: it lives`);
    return { writes: cluster.managerWrites - before, outcome: await outcome(kit) };
  });
}

for (const scenario of SCENARIOS) {
  Deno.test(`${scenario.name} end the same whichever write their manager is killed at`, async () => {
    const expected = await play(scenario);
    assert(expected.writes >= scenario.atLeast, `${expected.writes} writes`);
    for (let atWrite = 1; atWrite <= expected.writes; atWrite++) {
      for (const moment of ["before", "after"] as const) {
        const actual = await play(scenario, { moment, atWrite });
        assertEquals(actual.outcome, expected.outcome, `killed ${moment} write ${atWrite} of ${expected.writes}`);
      }
    }
  });
}

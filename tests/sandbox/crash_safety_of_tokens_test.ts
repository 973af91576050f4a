/** Tokens and aggregated roles whose manager is killed at each of its writes: the next one ends where the first would have. */
import { assert, assertEquals } from "@std/assert";
import { type CrashOptions, type TestCluster, withTestCluster } from "kubeloop/testing";
import { CLUSTERROLES, CONFIGMAPS, SECRETS, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import { Kit } from "../scenarios/kit.ts";
import * as bootstrap from "../scenarios/bootstrap_kit.ts";
import * as roles from "../scenarios/role_kit.ts";
import { account, tokenSecret } from "../scenarios/token_kit.ts";

const FLAGS = [
  "--controllers=serviceaccount,bootstrapsigner,tokencleaner,clusterrole-aggregation,legacy-service-account-token-cleaner",
  "--service-account-private-key-file=/sa.key",
  "--legacy-service-account-token-clean-up-period=720h",
];
const UNUSED = "kubernetes.io/legacy-token-invalid-since";

/** Tokens that nobody has used for years, as the cleaner finds them in its next pass. */
async function unusedTokens(kit: Kit, { apiServer }: TestCluster): Promise<void> {
  await account(kit, "old", "unused", "marked");
  const old = await kit.get(SERVICEACCOUNTS, "old");
  for (const name of ["unused", "marked"]) {
    const labels: Record<string, string> = name === "marked" ? { [UNUSED]: "2020-01-01" } : {};
    const secret = tokenSecret(name, "old", { uid: old.metadata!.uid! });
    const data = { token: btoa("x"), namespace: btoa("x"), "ca.crt": btoa("a certificate authority for tests\n") };
    const metadata = { namespace: kit.namespace, uid: name, labels, creationTimestamp: "2020-01-01T00:00:00Z" };
    apiServer.storeUnchecked(SECRETS, { ...secret, data, metadata: { ...secret.metadata, ...metadata } });
  }
  const since = { data: { since: "2020-01-01" } };
  const name = "kube-apiserver-legacy-service-account-token-tracking";
  await kit.client.patch(CONFIGMAPS, { namespace: "kube-system", name }, { type: "merge", body: since });
}

/** Gives each of the five controllers something to do. */
async function work(kit: Kit, cluster: TestCluster): Promise<void> {
  await account(kit, "bot", "a", "b");
  for (const name of ["a", "b", "c"]) await kit.create(SECRETS, tokenSecret(name, "bot"));
  await kit.create(SECRETS, tokenSecret("lost", "nobody"));
  await unusedTokens(kit, cluster);
  await roles.role(kit, "part", { rules: [roles.rule("x")], labels: { part: "1" } });
  await roles.role(kit, "half", { selects: [{ part: "1" }], labels: { part: "2" } });
  await roles.role(kit, "whole", { selects: [{ part: "2" }] });
  await bootstrap.clusterInfo(kit, { data: { kubeconfig: bootstrap.CONTENT } });
  await bootstrap.token(kit, "aaaaaa");
  await bootstrap.token(kit, "bbbbbb", { data: { expiration: "long ago" } });
  await cluster.settle();
  await kit.delete(SECRETS, "b");
  await cluster.advance(25 * 3_600_000);
  await cluster.settle();
}

/** What has come of it; of tokens what they say. */
async function outcome(kit: Kit): Promise<unknown> {
  const secrets = await kit.list(SECRETS);
  const { data: info } = await kit.client.get(CONFIGMAPS, { namespace: "kube-public", name: "cluster-info" });
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
    listed: (await kit.get(SERVICEACCOUNTS, "bot")).secrets?.filter(({ name }) => name !== "b"),
    rules: (await kit.client.list(CLUSTERROLES)).items.map(({ metadata, rules }) => [metadata?.name, rules]),
    info,
    tokens: tokens.map(({ metadata }) => metadata?.name),
  };
}

function play(crash?: CrashOptions): Promise<{ readonly writes: number; readonly outcome: unknown }> {
  return withTestCluster({ flags: FLAGS, nodes: 0 }, async (cluster) => {
    const namespace = await cluster.namespace("crash");
    await cluster.settle();
    const before = cluster.managerWrites;
    const kit = new Kit({ client: cluster.client, namespace, eventually: cluster.eventually.bind(cluster) });
    let isDead = false;
    if (crash) {
      void cluster.crashManager(crash).then(() => {
        isDead = true;
        cluster.startManager();
      });
    }
    await work(kit, cluster);
    assert(!crash || isDead, `${JSON.stringify(crash)}: it lives`);
    return { writes: cluster.managerWrites - before, outcome: await outcome(kit) };
  });
}

Deno.test("Tokens and roles end the same whichever write their manager is killed at", async () => {
  const expected = await play();
  assert(expected.writes >= 10, `${expected.writes} writes`);
  for (let atWrite = 1; atWrite <= expected.writes; atWrite++) {
    for (const moment of ["before", "after"] as const) {
      const actual = await play({ moment, atWrite });
      assertEquals(actual.outcome, expected.outcome, `killed ${moment} write ${atWrite} of ${expected.writes}`);
    }
  }
});

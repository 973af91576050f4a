/** Tokens of ServiceAccounts in Secrets under upstream's manager and under ours, on a real API server. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { generateKeyPairSync } from "node:crypto";
import { CONFIGMAPS, SECRETS, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { Client, isUnauthorized, transportOf, withoutCredentials } from "../../src/client/mod.ts";
import { dropLease, FIRST_SIX, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import type { Kit } from "../scenarios/kit.ts";
import { type Snapshot, snapshot } from "../scenarios/snapshot.ts";
import { account, tokenSecret, untilFilled } from "../scenarios/token_kit.ts";
import { TOKEN_SCENARIOS } from "../scenarios/token_scenarios.ts";
import { LAST_USED, makeUnusedTokens, trackForYears, untilCleanedUp } from "../scenarios/unused_tokens.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";
import { settledVersions } from "./settled_versions.ts";

parityTest("Tokens in Secrets are the same under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, { area: "account-tokens", scenarios: TOKEN_SCENARIOS, resources: [SECRETS] });
});

/** A client that shows `token`. */
function holderOf(cluster: Cluster, token: string): Client {
  const world = systemWorld(new MemoryLogger());
  const config = { ...withoutCredentials(cluster.config), token };
  const { server } = config;
  return new Client({ world, transport: transportOf(world, config), server, userAgent: "holder" });
}

async function userOf(client: Client): Promise<string> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const review = await client.request<{ status: { userInfo: { username: string } } }>("POST", path, { body });
  return review.status.userInfo.username;
}

async function tokenOf(kit: Kit, name: string): Promise<string> {
  return atob((await untilFilled(kit, name)).data!.token);
}

clusterTest("kube-apiserver accepts a token in a Secret until its account goes, and notes its use", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const user = await cluster.plane.authority.client("system:kube-controller-manager");
  const kubeconfig = await cluster.plane.writeKubeconfig("manager", { user });
  const flags = ["--controller-groups=tokens=serviceaccount-token-controller"];
  const manager = await startManager(cluster.plane, "kubeloop", { kubeconfig, flags });
  const kit = await cluster.namespace("tokens");
  await account(kit, "bot");
  await kit.create(SECRETS, tokenSecret("a", "bot"));
  const holder = holderOf(cluster, await tokenOf(kit, "a"));
  const username = await eventually("the token is accepted", () => userOf(holder));
  assertEquals(username, "system:serviceaccount:tokens:bot");
  await kit.until(SECRETS, "a", "says when it was used", ({ metadata }) => metadata?.labels?.[LAST_USED]);
  await kit.delete(SERVICEACCOUNTS, "bot");
  await kit.untilGone(SECRETS, "a");
  await eventually("the token is refused", () => userOf(holder).then(() => false, isUnauthorized));
  await manager.process.stop();
});

clusterTest("A signing key that changes signs the next token, without a restart", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const path = `${cluster.plane.folder}/rotated.key`;
  await Deno.copyFile(cluster.plane.serviceAccountKeyFile, path);
  const flags = [`--service-account-private-key-file=${path}`];
  const manager = await startManager(cluster.plane, "kubeloop", { flags });
  const kit = await cluster.namespace("rotation");
  await account(kit, "bot");
  await kit.create(SECRETS, tokenSecret("before", "bot"));
  const before = headerOf(await tokenOf(kit, "before"));
  assertEquals(before.alg, "RS256");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-384" });
  await Deno.writeTextFile(path, privateKey.export({ format: "pem", type: "sec1" }) as string);
  let i = 0;
  const after = await eventually("a token is signed with the new key", async () => {
    const name = `after-${i++}`;
    await kit.create(SECRETS, tokenSecret(name, "bot"));
    const header = headerOf(await tokenOf(kit, name));
    return header.alg === "ES384" && header;
  }, { everyMs: 2_000, withinMs: 60_000 });
  assertNotEquals(after.kid, before.kid);
  const { data } = await kit.get(SECRETS, "before");
  assertEquals(headerOf(atob(data!.token)), before);
  await manager.process.stop();
});

function headerOf(token: string): { readonly alg: string; readonly kid: string } {
  return JSON.parse(atob(token.split(".")[0].replaceAll("-", "+").replaceAll("_", "/")));
}

clusterTest("A key that signs no tokens ends either manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const path = `${cluster.plane.folder}/odd.key`;
  const { privateKey } = generateKeyPairSync("ed25519");
  await Deno.writeTextFile(path, privateKey.export({ format: "pem", type: "pkcs8" }) as string);
  for (const kind of ["upstream", "kubeloop"] as const) {
    const flags = [`--service-account-private-key-file=${path}`];
    const manager = await startManager(cluster.plane, kind, { flags, waitForLease: false });
    const exit = await eventually(`${kind} ends`, () => Promise.resolve(manager.process.exit));
    assert(exit.code !== 0, `${kind} ended with ${exit.code}`);
    await dropLease(cluster.plane);
  }
});

/** What a manager that starts makes of tokens that nobody uses. */
async function cleanedUp(cluster: Cluster, kind: ManagerKind): Promise<Snapshot> {
  // Without the cleaner, until what it is to find is there.
  const before = await startManager(cluster.plane, kind, { controllers: FIRST_SIX });
  const kit = await cluster.namespace(`${kind}-unused`);
  await trackForYears(kit);
  await makeUnusedTokens(kit);
  await before.process.stop();
  await dropLease(cluster.plane);
  const madeMs = Date.now();
  await eventually("the tokens are older than the period", () => Promise.resolve(Date.now() - madeMs > 2_500));
  const flags = ["--legacy-service-account-token-clean-up-period=1s"];
  const manager = await startManager(cluster.plane, kind, { flags });
  await untilCleanedUp(kit);
  // Whatever else it might do would come with the same pass.
  await account(kit, "last");
  await kit.create(SECRETS, tokenSecret("last", "last"));
  await untilFilled(kit, "last");
  const found = await snapshot(cluster.client, kit.namespace, {
    resources: [SECRETS],
    rename: [[cluster.plane.authority.cert, "<root CA>"], [new Date().toISOString().slice(0, 10), "<today>"]],
  });
  await manager.process.stop();
  await dropLease(cluster.plane);
  return found;
}

clusterTest("Unused tokens are marked and deleted by kubeloop as by upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const theirs = await cleanedUp(cluster, "upstream");
  const ours = await cleanedUp(cluster, "kubeloop");
  assertEquals(ours.objects, theirs.objects);
  assert(theirs.objects.length > 20);
});

clusterTest("A manager that takes over leaves tokens alone that the other has made, and goes on", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];
  let before: ReadonlyMap<string, string> = new Map();
  let last: Kit | undefined;
  for (const [turn, kind] of turns.entries()) {
    const manager = await startManager(cluster.plane, kind);
    const kit = await cluster.namespace(`turn-${turn}`);
    await kit.until(CONFIGMAPS, "kube-root-ca.crt", "is there", () => true);
    await account(kit, "bot", "a", "b");
    for (const name of ["a", "b"]) await kit.create(SECRETS, tokenSecret(name, "bot"));
    for (const name of ["a", "b"]) await untilFilled(kit, name);
    const versions = await settledVersions(cluster, SECRETS, SERVICEACCOUNTS);
    for (const [uid, version] of before) assertEquals(versions.get(uid), version, `${kind} wrote ${uid}`);
    // What the other has made it takes away.
    if (last) {
      await last.delete(SECRETS, "a");
      await last.until(SERVICEACCOUNTS, "bot", "lists a no more", ({ secrets = [] }) => secrets.length === 1);
      await last.delete(SERVICEACCOUNTS, "bot");
      await last.untilGone(SECRETS, "b");
    }
    before = new Map([...await settledVersions(cluster, SECRETS, SERVICEACCOUNTS)]);
    last = kit;
    await manager.process.stop();
    await dropLease(cluster.plane);
  }
});

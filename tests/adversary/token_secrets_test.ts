/**
 * A tenant who may create any Secrets, accounts and, as an administrator might, roles, against the controllers of tokens and roles: those
 * of others get theirs in time, and nothing is deleted that is not a token of nobody.
 *
 * | attack                                                        | what bounds it                                                       |
 * | ------------------------------------------------------------- | -------------------------------------------------------------------- |
 * | thousands of Secrets of odd types                             | only token Secrets are watched, by a field selector                  |
 * | names of 253 characters, annotations of 256 KiB               | keys hold no more of an annotation than a name can have              |
 * | Secrets that name other people's accounts                     | an account counts only in the Secret's own namespace                 |
 * | immutable Secrets, tokens for paths                           | what can never be filled is not tried; a failure is retried ten times |
 * | a chain of aggregated roles, and circles                      | rules are a set: what grows no more is written no more               |
 * | bootstrap tokens that end in the past, in 9999, never, nowhere | one look an hour each; a failed deletion backs off                   |
 */
import { assert, assertEquals } from "@std/assert";
import { CLUSTERROLES, SECRETS, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import { type TestCluster, withTestCluster } from "../../src/testkit/mod.ts";

const TENANT = "constructor";
const VICTIM = "shop";
const FLAGS = [
  "--controllers=*,bootstrapsigner,tokencleaner",
  "--service-account-private-key-file=/sa.key",
];
const TOKEN = "kubernetes.io/service-account-token";
const NAME = "kubernetes.io/service-account.name";
const UID = "kubernetes.io/service-account.uid";
/** In virtual time; alone it takes less than a second, but signing takes real time, which a busy machine does not have. */
const SOON_MS = 600_000;

function attack(what: string, run: (cluster: TestCluster) => Promise<void>): void {
  Deno.test(`A tenant with ${what} keeps nobody from a token`, () =>
    withTestCluster({ flags: FLAGS, nodes: 0 }, async (cluster) => {
      await cluster.namespace(TENANT);
      await cluster.namespace(VICTIM);
      const plain = { metadata: { namespace: VICTIM, name: "plain", annotations: { [NAME]: "nobody" } } };
      await cluster.client.create(SECRETS, plain);
      await run(cluster);
      const annotations = { [NAME]: "default" };
      await cluster.client.create(SECRETS, { metadata: { namespace: VICTIM, name: "mine", annotations }, type: TOKEN });
      await cluster.eventually("the other's Secret has its token", async () => {
        const { data } = await cluster.client.get(SECRETS, { namespace: VICTIM, name: "mine" });
        return data?.token !== undefined;
      }, { withinMs: SOON_MS });
      await cluster.client.get(SECRETS, { namespace: VICTIM, name: "plain" });
    }));
}

function createSecret(
  { client }: TestCluster,
  name: string,
  annotations: Record<string, string>,
  more: object = { type: TOKEN },
): Promise<unknown> {
  return client.create(SECRETS, { metadata: { namespace: TENANT, name, annotations }, ...more });
}

attack("5,000 Secrets of odd types", async (cluster) => {
  const types = ["Opaque", "constructor", `${TOKEN}s`, ` ${TOKEN}`, "x".repeat(253), "__proto__"];
  for (let i = 0; i < 5_000; i++) {
    await createSecret(cluster, `s${i}`, { [NAME]: "nobody", [UID]: "0" }, { type: types[i % types.length] });
  }
  const before = cluster.managerWrites;
  await cluster.advance(5_000);
  assertEquals(cluster.managerWrites - before, 0);
  const { items } = await cluster.client.list(SECRETS, { namespace: TENANT });
  assertEquals(items.length, 5_000);
});

attack("annotations of 256 KiB and names of 253 characters", async (cluster) => {
  const most = 256 * 1024 - 200;
  for (let i = 0; i < 40; i++) {
    const name = `${"n".repeat(250)}${String(i).padStart(3, "0")}`;
    await createSecret(cluster, name, {
      [NAME]: i % 2 === 0 ? "x".repeat(most) : "default",
      [UID]: "y".repeat(i % 2 === 0 ? 9 : most),
    });
  }
  await cluster.eventually("they are gone, since they are tokens of nobody", async () => {
    const { items } = await cluster.client.list(SECRETS, { namespace: TENANT });
    return items.length === 0;
  });
});

attack("Secrets that name other people's accounts", async (cluster) => {
  const victim = await cluster.client.get(SERVICEACCOUNTS, { namespace: VICTIM, name: "default" });
  const uid = victim.metadata!.uid!;
  const names = ["default", `${VICTIM}/default`, `../${VICTIM}/serviceaccounts/default`, "%2e%2e", "..", "constructor"];
  for (const [i, name] of names.entries()) await createSecret(cluster, `s${i}`, { [NAME]: name, [UID]: uid });
  await cluster.settle();
  const { items } = await cluster.client.list(SECRETS, { namespace: TENANT });
  assert(items.every(({ data }) => data === undefined), "a token for somebody else's account");
});

attack("Secrets that can never be filled", async (cluster) => {
  for (let i = 0; i < 300; i++) {
    await createSecret(cluster, `i${i}`, { [NAME]: "default" }, { type: TOKEN, immutable: true });
    // One byte more is too much.
    if (i < 3) {
      await createSecret(cluster, `f${i}`, { [NAME]: "default" }, {
        type: TOKEN,
        data: { a: btoa("x".repeat(2 ** 20)) },
      });
    }
  }
  const before = cluster.managerWrites;
  await cluster.advance(600_000);
  assert(cluster.managerWrites - before <= 33, `${cluster.managerWrites - before} writes`);
});

attack("an account that is made and deleted again and again", async (cluster) => {
  const account = { metadata: { namespace: TENANT, name: "bot" } };
  for (let i = 0; i < 50; i++) {
    const { metadata } = await cluster.client.create(SERVICEACCOUNTS, account);
    await createSecret(cluster, `s${i}`, { [NAME]: "bot", [UID]: metadata!.uid! });
    await cluster.advance(i % 3);
    await cluster.client.delete(SERVICEACCOUNTS, { namespace: TENANT, name: "bot" });
  }
  await cluster.settle();
  assertEquals((await cluster.client.list(SECRETS, { namespace: TENANT })).items, []);
});

attack("a chain of 60 aggregated roles and a circle of 20", async (cluster) => {
  const rules = Array.from({ length: 200 }, (_, i) => ({ apiGroups: [""], resources: [`r${i}`], verbs: ["get"] }));
  await cluster.client.create(CLUSTERROLES, { metadata: { name: "first", labels: { link: "0", ring: "0" } }, rules });
  const make = (name: string, labels: Record<string, string>, matchLabels: Record<string, string>) =>
    cluster.client.create(CLUSTERROLES, {
      metadata: { name, labels },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels }] },
    });
  for (let i = 1; i <= 60; i++) await make(`link-${i}`, { link: String(i) }, { link: String(i - 1) });
  for (let i = 0; i < 20; i++) await make(`ring-${i}`, { ring: String(i) }, { ring: String((i + 19) % 20) });
  await cluster.settle();
  for (const name of ["link-60", "ring-19"]) {
    assertEquals((await cluster.client.get(CLUSTERROLES, { name })).rules?.length, 200);
  }
  const before = cluster.managerWrites;
  await cluster.advance(60_000);
  assertEquals(cluster.managerWrites - before, 0);
});

attack("bootstrap tokens that end in the past, in the year 9999, never, or nowhere", async (cluster) => {
  const ends = ["0001-01-01T00:00:00Z", "2025-12-31T23:59:59Z", "9999-12-31T23:59:59Z", "", "9".repeat(100_000), "-1"];
  for (let i = 0; i < 300; i++) {
    await cluster.client.create(SECRETS, {
      metadata: { namespace: "kube-system", name: `bootstrap-token-${String(i).padStart(6, "0")}` },
      type: "bootstrap.kubernetes.io/token",
      stringData: { expiration: ends[i % ends.length] },
    });
  }
  cluster.fault({ verb: "delete", resource: "secrets", times: 10, status: { code: 500 } });
  await cluster.advance(2_000_000);
  const { items } = await cluster.client.list(SECRETS, { namespace: "kube-system" });
  assertEquals(items.length, 100);
  const before = cluster.managerWrites;
  await cluster.advance(3 * 3_600_000);
  assertEquals(cluster.managerWrites - before, 0);
});

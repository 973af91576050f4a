/** Requests for certificates and trust bundles: the whole manager on the embedded API server, on a fake clock. */
import { assert, assertEquals } from "@std/assert";
import type { CrashOptions, TestClusterOptions } from "kubeloop/testing";
import { TestCluster } from "../../src/testkit/test_cluster.ts";
import { sleep } from "../../src/base/mod.ts";
import { CERTIFICATESIGNINGREQUESTS, CLUSTERTRUSTBUNDLES, PODCERTIFICATEREQUESTS } from "../../src/api/mod.ts";
import { ask, decide, settled } from "../scenarios/certificate_kit.ts";
import { CERTIFICATE_SCENARIOS } from "../scenarios/certificate_scenarios.ts";
import type { Kit } from "../scenarios/kit.ts";
import { ODD_CERTIFICATE_SCENARIOS } from "../scenarios/odd_certificate_scenarios.ts";
import { requestPem } from "../scenarios/request_pem.ts";
import {
  certificateOf,
  keyPem,
  type TestAuthority,
  testAuthority,
} from "../unit/controllers/certificates/signing_rig.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const [CERT, KEY] = ["/ca.crt", "/ca.key"];
const FIRST = await testAuthority({ name: "first" });
const SECOND = await testAuthority({ name: "second" });

async function put({ world }: TestCluster, { pem, cert = pem, key }: { pem: string; cert?: string; key?: string }) {
  world.fileContents.set(CERT, cert);
  if (key !== undefined) world.fileContents.set(KEY, key);
  await Promise.resolve();
}

const pairOf = async (authority: TestAuthority) => ({ pem: authority.pem, key: await keyPem(authority) });

/** Runs `test` on a cluster whose manager signs with {@link FIRST}. */
async function withSigning(
  test: (cluster: TestCluster, kit: Kit) => Promise<void>,
  { flags = [], ...options }: TestClusterOptions = {},
): Promise<void> {
  const signing = [`--cluster-signing-cert-file=${CERT}`, `--cluster-signing-key-file=${KEY}`];
  await using cluster = new TestCluster({
    nodes: 0,
    startsAt: new Date(),
    ...options,
    flags: [...signing, ...flags],
  });
  await put(cluster, await pairOf(FIRST));
  await cluster.start();
  await test(cluster, kitOf(cluster, await cluster.namespace("scenario")));
}

for (const { name, run } of [...CERTIFICATE_SCENARIOS, ...ODD_CERTIFICATE_SCENARIOS]) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () => withSigning((_, kit) => run(kit)));
}

/** Who signed what is asked for now. */
async function signerOf(kit: Kit, name: string): Promise<string> {
  await ask(kit, {}, name);
  await decide(kit, "Approved", name);
  await settled(kit, name);
  return certificateOf(await kit.get(CERTIFICATESIGNINGREQUESTS, `${kit.namespace}-${name}`)).issuer;
}

Deno.test("an authority that is replaced while the manager runs counts within eleven seconds", () =>
  withSigning(async (cluster, kit) => {
    assertEquals(await signerOf(kit, "a"), "CN=first");
    await put(cluster, await pairOf(SECOND));
    await cluster.advance(11_000);
    assertEquals(await signerOf(kit, "b"), "CN=second");
  }));

Deno.test("of an authority whose certificate comes first the old one signs on, and then the new one", () =>
  withSigning(async (cluster, kit) => {
    await put(cluster, { pem: SECOND.pem });
    await cluster.advance(11_000);
    assertEquals(await signerOf(kit, "a"), "CN=first");
    await put(cluster, await pairOf(SECOND));
    await cluster.advance(11_000);
    assertEquals(await signerOf(kit, "b"), "CN=second");
  }));

Deno.test("of an authority whose key comes first nothing is signed until its certificate is there", () =>
  withSigning(async (cluster, kit) => {
    await put(cluster, { pem: FIRST.pem, key: await keyPem(SECOND) });
    await cluster.advance(11_000);
    await ask(kit, {}, "a");
    await decide(kit, "Approved", "a");
    await cluster.advance(20_000);
    const object = await kit.get(CERTIFICATESIGNINGREQUESTS, "scenario-a");
    assertEquals(object.status?.certificate, undefined);
    await put(cluster, await pairOf(SECOND));
    await settled(kit, "a");
    assertEquals(certificateOf(await kit.get(CERTIFICATESIGNINGREQUESTS, "scenario-a")).issuer, "CN=second");
  }));

Deno.test("a manager that dies after any of its writes leaves a request that the next one ends", async () => {
  for (const atWrite of [1, 2, 3]) {
    for (const moment of ["before", "after"] as const) {
      await withSigning(async (cluster, kit) => {
        await cluster.settle();
        void cluster.crashManager({ atWrite, moment }).then(async () => {
          await sleep(cluster.world.clock, 17_000);
          cluster.startManager();
        });
        const scenario = CERTIFICATE_SCENARIOS.find(({ name }) => name === "certificate-kubelet")!;
        await scenario.run(kit);
        const { status } = await kit.get(CERTIFICATESIGNINGREQUESTS, "scenario-r");
        assertEquals(status?.conditions?.map(({ type }) => type), ["Approved"]);
        assert(status?.certificate);
      });
    }
  }
});

const UPKEEP = [
  "certificatesigningrequest-cleaner-controller",
  "podcertificaterequest-cleaner-controller",
  "kube-apiserver-serving-clustertrustbundle-publisher-controller",
];

/** Whatever is too old, and a bundle that somebody else has made or taken away. @returns The writes of the manager, and whether one was its last. */
async function upkeep(crash?: CrashOptions): Promise<{ readonly writes: number; readonly isKilled: boolean }> {
  let [writes, isKilled] = [0, false];
  const gates = "--feature-gates=ClusterTrustBundle=true,PodCertificateRequest=true";
  await withSigning(async (cluster, kit) => {
    const bundles = (what: string, holds: (names: readonly string[]) => boolean) =>
      kit.untilAll(CLUSTERTRUSTBUNDLES, what, (all) => holds(all.map(({ metadata }) => metadata!.name!)));
    const [bundle] = await bundles("there is one", ({ length }) => length === 1);
    const name = bundle.metadata!.name!;
    await cluster.settle();
    const before = cluster.managerWrites;
    if (crash) {
      void cluster.crashManager(crash).then(async () => {
        isKilled = true;
        await sleep(cluster.world.clock, 17_000);
        cluster.startManager();
      });
    }
    for (const request of ["denied", "issued", "pending"]) await ask(kit, {}, request);
    for (const request of ["denied", "other"]) await askForPod(kit, request);
    await decide(kit, "Denied", "denied");
    await kit.create(CLUSTERTRUSTBUNDLES, { ...bundle, metadata: { name: `${name}x` } });
    await kit.delete(CLUSTERTRUSTBUNDLES, name);
    await cluster.advance(3 * 3_600_000);
    await bundles("there is the same one", (names) => names.join() === name);
    const left = await kit.list(CERTIFICATESIGNINGREQUESTS);
    assertEquals(left.map(({ metadata }) => metadata?.name).sort(), ["scenario-issued", "scenario-pending"]);
    assertEquals(await kit.list(PODCERTIFICATEREQUESTS), []);
    writes = cluster.managerWrites - before;
  }, { flags: [`--controllers=${UPKEEP}`, gates] });
  return { writes, isKilled };
}

async function askForPod(kit: Kit, name: string): Promise<void> {
  const stubPKCS10Request = (await requestPem()).replace(/-----[^-]*-----|\s/g, "");
  const who = { podName: "web", podUID: "1", serviceAccountName: "default", serviceAccountUID: "2" };
  const where = { nodeName: "n", nodeUID: "3", signerName: "example.com/x", maxExpirationSeconds: 3600 };
  await kit.create(PODCERTIFICATEREQUESTS, { metadata: { name }, spec: { ...who, ...where, stubPKCS10Request } });
}

Deno.test("old requests go and the trust bundle stays, whichever write the manager is killed at", async () => {
  const { writes } = await upkeep();
  assert(writes >= 5, `${writes} writes`);
  for (let atWrite = 1; atWrite <= writes; atWrite++) {
    for (const moment of ["before", "after"] as const) {
      assert((await upkeep({ atWrite, moment })).isKilled, `killed ${moment} write ${atWrite} of ${writes}: it lives`);
    }
  }
});

Deno.test("requests are cleaned up an hour after they were decided", () =>
  withSigning(async (cluster, kit) => {
    for (const name of ["denied", "issued", "pending"]) await ask(kit, {}, name);
    await decide(kit, "Denied", "denied");
    await decide(kit, "Approved", "issued");
    await settled(kit, "issued");
    await cluster.advance(2 * 3_600_000 + 60_000);
    const left = async () => (await kit.list(CERTIFICATESIGNINGREQUESTS)).map(({ metadata }) => metadata?.name);
    assertEquals(await left(), ["scenario-pending"]);
    await cluster.advance(24 * 3_600_000);
    assertEquals(await left(), []);
    // A day of all controllers would take half a minute.
  }, { flags: ["--controllers=csrsigning,csrcleaner"] }));

Deno.test("a trust bundle of the API server's authorities is there behind its gate, alone", () =>
  withSigning(async (cluster, kit) => {
    const only = () =>
      kit.untilAll(CLUSTERTRUSTBUNDLES, "there is one", (all) => all.length === 1 && all[0].spec.trustBundle !== "");
    const [bundle] = await only();
    assertEquals(bundle.spec.signerName, "kubernetes.io/kube-apiserver-serving");
    const { name = "" } = bundle.metadata!;
    const more = { ...bundle, metadata: { name: `${name}x` }, spec: { ...bundle.spec, trustBundle: SECOND.pem } };
    await kit.create(CLUSTERTRUSTBUNDLES, more);
    assertEquals((await only())[0].metadata?.name, name);
    await kit.client.update(CLUSTERTRUSTBUNDLES, { ...bundle, spec: { ...bundle.spec, trustBundle: SECOND.pem } });
    await kit.until(CLUSTERTRUSTBUNDLES, name, "is right again", ({ spec }) => spec.trustBundle !== SECOND.pem);
    await cluster.settle();
  }, { flags: ["--feature-gates=ClusterTrustBundle=true"] }));

Deno.test("without its gate there is no trust bundle", () =>
  withSigning(async (cluster) => {
    await cluster.settle();
    assertEquals(cluster.history.dump({ last: 4_000 }).includes("clustertrustbundles"), false);
  }));

/** What becomes of requests for certificates under upstream's manager and under ours, on a real API server. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CERTIFICATESIGNINGREQUESTS, CLUSTERTRUSTBUNDLES } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { makeAuthority, makeSigningAuthorities, openssl, SIGNING_FLAGS } from "../controlplane/signing_authorities.ts";
import { ask, decide, KUBELET, settled } from "../scenarios/certificate_kit.ts";
import { CERTIFICATE_SCENARIOS } from "../scenarios/certificate_scenarios.ts";
import type { Kit } from "../scenarios/kit.ts";
import { ODD_CERTIFICATE_SCENARIOS } from "../scenarios/odd_certificate_scenarios.ts";
import { kubelet } from "../scenarios/request_pem.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const CONTROLLERS = [
  "certificatesigningrequest-approving-controller",
  "certificatesigningrequest-signing-controller",
  "certificatesigningrequest-cleaner-controller",
];
const TURNS: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream", "kubeloop"];

parityTest("Requests for certificates end the same under kubeloop as under upstream's manager", async () => {
  await makeSigningAuthorities();
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "certificates",
    scenarios: [...CERTIFICATE_SCENARIOS, ...ODD_CERTIFICATE_SCENARIOS],
    flags: SIGNING_FLAGS,
  });
});

const certificateOf = async (kit: Kit, name: string) =>
  atob((await kit.get(CERTIFICATESIGNINGREQUESTS, `${kit.namespace}-${name}`)).status?.certificate ?? "");

clusterTest(
  "A manager that takes over ends the requests that the other left pending, and leaves the others alone",
  async () => {
    await makeSigningAuthorities();
    await using cluster = await Cluster.start({ nodes: 0 });
    const kit = cluster.kit("turns");
    const versions = async () => {
      const all = await kit.list(CERTIFICATESIGNINGREQUESTS);
      return new Map(all.map(({ metadata }) => [metadata!.name!, metadata!.resourceVersion!]));
    };
    let before: ReadonlyMap<string, string> = new Map();
    for (const [turn, kind] of TURNS.entries()) {
      const [kubeletRequest, userRequest] = [`kubelet-${turn}`, `user-${turn}`];
      const subject = kubelet("a");
      await ask(kit, { subject, signerName: KUBELET, usages: ["digital signature", "client auth"] }, kubeletRequest);
      await ask(kit, {}, userRequest);
      await decide(kit, "Approved", userRequest);
      const manager = await startManager(cluster.plane, kind, { flags: SIGNING_FLAGS });
      for (const name of [kubeletRequest, userRequest]) await settled(kit, name);
      const after = await versions();
      for (const [name, version] of before) assertEquals(after.get(name), version, `${kind} wrote ${name}`);
      before = after;
      await manager.process.stop();
      await dropLease(cluster.plane);
    }
  },
);

/** Replaces the authority with which the manager signs, while it runs. */
async function replaceAuthority(kind: ManagerKind, flags: readonly string[]): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "kubeloop-authority-" });
  const pair = (name: string) => `${folder}/${name}`;
  await using cluster = await Cluster.start({ nodes: 0 });
  try {
    await makeAuthority(pair("first"), { name: "first" });
    const rsa = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:3072"];
    await makeAuthority(pair("second"), { name: "second", key: rsa });
    for (const end of ["crt", "key"]) await Deno.copyFile(pair(`first.${end}`), pair(`ca.${end}`));
    const manager = await startManager(cluster.plane, kind, {
      flags: [
        `--cluster-signing-cert-file=${pair("ca.crt")}`,
        `--cluster-signing-key-file=${pair("ca.key")}`,
        ...flags,
      ],
    });
    const kit = cluster.kit("rotated");
    const issued = async (name: string) => {
      const subject = kubelet("a");
      await ask(kit, { subject, signerName: KUBELET, usages: ["digital signature", "client auth"] }, name);
      await settled(kit, name);
      await Deno.writeTextFile(pair(`${name}.crt`), await certificateOf(kit, name));
      return await openssl(["x509", "-noout", "-issuer", "-in", pair(`${name}.crt`)]);
    };
    const assertSigned = (name: string, by: string) =>
      openssl(["verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", pair(`${by}.crt`), pair(`${name}.crt`)]);
    assertStringIncludes(await issued("before"), "first");
    await assertSigned("before", "first");
    await Deno.copyFile(pair("second.key"), pair("ca.key"));
    await Deno.copyFile(pair("second.crt"), pair("ca.crt"));
    let i = 0;
    const last = await eventually(`${kind} signs with the second`, async () => {
      const name = `after-${i++}`;
      return (await issued(name)).includes("second") && name;
    }, { everyMs: 1_000, withinMs: 120_000 });
    await assertSigned(last, "second");
    await manager.process.stop();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

clusterTest(
  "An authority that is replaced while the manager runs signs from then on, in a thread with its own account's rights",
  () => replaceAuthority("kubeloop", [`--controller-groups=certificates=${CONTROLLERS.join(";")}`]),
);

clusterTest(
  "An authority that is replaced while upstream's manager runs signs from then on, too",
  () => replaceAuthority("upstream", []),
);

clusterTest("Either manager publishes the same trust bundle, and deletes others of its signer", async () => {
  await using cluster = await Cluster.start({
    nodes: 0,
    apiserverFlags: [
      "--feature-gates=ClusterTrustBundle=true",
      "--runtime-config=certificates.k8s.io/v1beta1/clustertrustbundles=true",
    ],
  });
  const kit = cluster.kit("default");
  const one = () => kit.untilAll(CLUSTERTRUSTBUNDLES, "there is one", (all) => all.length === 1);
  const seen: (string | undefined)[] = [];
  for (const kind of TURNS) {
    const manager = await startManager(cluster.plane, kind, {
      flags: ["--feature-gates=ClusterTrustBundle=true"],
    });
    const [bundle] = await one();
    assertEquals(bundle.spec.trustBundle, cluster.plane.authority.cert);
    seen.push(bundle.metadata?.name);
    const name = `${bundle.metadata?.name}x`;
    await kit.create(CLUSTERTRUSTBUNDLES, { ...bundle, metadata: { name } });
    assertEquals((await one())[0].metadata?.resourceVersion, bundle.metadata?.resourceVersion);
    await kit.delete(CLUSTERTRUSTBUNDLES, bundle.metadata!.name!);
    await one();
    await manager.process.stop();
    await dropLease(cluster.plane);
  }
  assert(seen[0]?.startsWith("kubernetes.io:kube-apiserver-serving:"));
  assertEquals(new Set(seen).size, 1);
});

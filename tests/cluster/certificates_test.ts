/** What becomes of requests for certificates under upstream's manager and under ours, on a real API server. */
import { assert, assertEquals } from "@std/assert";
import { CERTIFICATESIGNINGREQUESTS, CLUSTERTRUSTBUNDLES, PODCERTIFICATEREQUESTS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { makeAuthority, makeSigningAuthorities, openssl, SIGNING_FLAGS } from "../controlplane/signing_authorities.ts";
import { ask, decide, KUBELET, settled } from "../scenarios/certificate_kit.ts";
import { CERTIFICATE_SCENARIOS } from "../scenarios/certificate_scenarios.ts";
import type { Kit } from "../scenarios/kit.ts";
import { kubelet, requestPem } from "../scenarios/request_pem.ts";
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
    scenarios: CERTIFICATE_SCENARIOS,
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

clusterTest(
  "An authority that is replaced while the manager runs signs from then on, in a thread with its own account's rights",
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "kubeloop-authority-" });
    const pair = (name: string) => `${folder}/${name}`;
    await using cluster = await Cluster.start({ nodes: 0 });
    try {
      await makeAuthority(pair("first"), { name: "first" });
      const rsa = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:3072"];
      await makeAuthority(pair("second"), { name: "second", key: rsa });
      for (const end of ["crt", "key"]) await Deno.copyFile(pair(`first.${end}`), pair(`ca.${end}`));
      const flags = [
        `--cluster-signing-cert-file=${pair("ca.crt")}`,
        `--cluster-signing-key-file=${pair("ca.key")}`,
        `--controller-groups=certificates=${CONTROLLERS.join(";")}`,
      ];
      const manager = await startManager(cluster.plane, "kubeloop", { flags });
      const kit = cluster.kit("rotated");
      const issued = async (name: string, authority: string) => {
        const subject = kubelet("a");
        await ask(kit, { subject, signerName: KUBELET, usages: ["digital signature", "client auth"] }, name);
        await settled(kit, name);
        const file = pair(`${name}.crt`);
        await Deno.writeTextFile(file, await certificateOf(kit, name));
        await openssl(["verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", pair(`${authority}.crt`), file]);
      };
      await issued("before", "first");
      await Deno.copyFile(pair("second.key"), pair("ca.key"));
      await Deno.copyFile(pair("second.crt"), pair("ca.crt"));
      await eventually("the manager has seen both files", () => {
        const seen = manager.process.output.split("A file has changed").length - 1;
        return Promise.resolve(seen === 2);
      });
      await issued("after", "second");
      await manager.process.stop();
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

/** What `created` hours ago means to the API server. */
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString().replace(/\.\d+Z/, "Z");

clusterTest("Old requests are deleted, and no others", async () => {
  await using cluster = await Cluster.start({
    nodes: 0,
    apiserverFlags: [
      "--feature-gates=PodCertificateRequest=true",
      "--runtime-config=certificates.k8s.io/v1beta1/podcertificaterequests=true",
    ],
  });
  const kit = cluster.kit("default");
  const conditions = (type: string, hours: number) => [
    { type, status: "True", lastUpdateTime: hoursAgo(hours), lastTransitionTime: hoursAgo(hours) },
  ];
  const ages = [["pending-23", 23], ["pending-25", 25]] as const;
  for (const [name, hours] of ages) {
    await ask(kit, { spoil: ({ metadata }) => void (metadata!.creationTimestamp = hoursAgo(hours)) }, name);
  }
  for (
    const [type, hours] of [["Denied", 0.9], ["Denied", 1.1], ["Failed", 1.1], ["Approved", 23], [
      "Approved",
      25,
    ]] as const
  ) {
    const name = `${type}-${hours}`.toLowerCase();
    await ask(kit, { spoil: (stored) => void (stored.status = { conditions: conditions(type, hours) }) }, name);
  }
  const pods = [["young", 0.2], ["old", 0.3]] as const;
  for (const [name, hours] of pods) {
    const stubPKCS10Request = (await requestPem()).replace(/-----[^-]*-----|\s/g, "");
    await kit.createUnchecked(PODCERTIFICATEREQUESTS, {
      apiVersion: "certificates.k8s.io/v1beta1",
      kind: "PodCertificateRequest",
      metadata: { name },
      spec: {
        signerName: "example.com/x",
        podName: "web",
        podUID: "1",
        serviceAccountName: "default",
        serviceAccountUID: "2",
        nodeName: "n",
        nodeUID: "3",
        maxExpirationSeconds: 3600,
        stubPKCS10Request,
      },
    }, ({ metadata }) => void (metadata!.creationTimestamp = hoursAgo(hours)));
  }
  const manager = await startManager(cluster.plane, "kubeloop", {
    flags: ["--feature-gates=PodCertificateRequest=true"],
  });
  await kit.untilAll(CERTIFICATESIGNINGREQUESTS, "the old ones are gone", (all) => all.length <= 3);
  await kit.untilAll(PODCERTIFICATEREQUESTS, "the old one is gone", (all) => all.length <= 1);
  await manager.process.stop();
  const left = (await kit.list(CERTIFICATESIGNINGREQUESTS)).map(({ metadata }) => metadata?.name).sort();
  assertEquals(left, ["default-approved-23", "default-denied-0.9", "default-pending-23"]);
  assertEquals((await kit.list(PODCERTIFICATEREQUESTS)).map(({ metadata }) => metadata?.name), ["young"]);
});

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

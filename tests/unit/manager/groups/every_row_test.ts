/** Every controller of the registry in a group of its own: what it needs reaches it there. */
import { assert, assertEquals } from "@std/assert";
import * as api from "../../../../src/api/mod.ts";
import { clientNameOf, CONTROLLERS } from "../../../../src/controllers/mod.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import { kubelet, requestPem } from "../../../scenarios/request_pem.ts";
import { keyPem, testAuthority } from "../../controllers/certificates/signing_rig.ts";
import { objects } from "../../../../src/testkit/mod.ts";
import { GroupRig } from "./rig.ts";

/** Something to do for a controller, and the write that it begins with. */
interface FirstStep {
  readonly given?: (rig: GroupRig) => Promise<unknown>;
  /** Is over before the controller starts: it looks once, and not again for a long time. */
  readonly isGivenBefore?: boolean;
  readonly write: RegExp;
  readonly flags?: readonly string[];
  /** What files hold, by the flags that name them. */
  readonly files?: Readonly<Record<string, string>>;
}

const metadata = { name: "web", namespace: "default" };
const DEFAULT_ACCOUNT = { metadata: { name: "default", namespace: "default" } };
const { template } = objects.deployment("web").spec!;
const ownPod = {
  ...template,
  spec: { ...template.spec!, automountServiceAccountToken: false, restartPolicy: "Never" },
};
const always = { ...ownPod, spec: { ...ownPod.spec, restartPolicy: "Always" } };
const selector = { matchLabels: template.metadata!.labels };
const podOf = (more: api.Pod["metadata"]): api.Pod => ({
  metadata: { ...metadata, ...more },
  spec: { ...ownPod.spec, schedulerName: "nobody" },
});

async function finished({ client }: GroupRig): Promise<void> {
  const spec = { template: ownPod, ttlSecondsAfterFinished: 0 };
  const job = await client.create(api.JOBS, { metadata, spec });
  const at = "2026-01-01T00:00:00Z";
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
    type,
    status: "True",
    lastProbeTime: at,
    lastTransitionTime: at,
  }));
  const status = { conditions, startTime: at, completionTime: at, succeeded: 1, uncountedTerminatedPods: {} };
  await client.updateStatus(api.JOBS, { ...job, status });
}

async function failedPods({ client }: GroupRig): Promise<void> {
  for (const name of ["a", "b"]) {
    const pod = await client.create(api.PODS, podOf({ name }));
    await client.updateStatus(api.PODS, { ...pod, status: { phase: "Failed" } });
  }
}

const AUTHORITY = await testAuthority({ nowMs: new FakeWorld().clock.wallMs() });
const AUTHORITY_FILES = {
  "cluster-signing-cert-file": AUTHORITY.pem,
  "cluster-signing-key-file": await keyPem(AUTHORITY),
};

/** A kubelet's request; the tests' client may ask for anything. */
async function signingRequest({ client }: GroupRig, signerName: string): Promise<api.CertificateSigningRequest> {
  const request = btoa(await requestPem({ subject: kubelet("a") }));
  const usages = ["digital signature", "client auth"];
  const spec = { request, signerName, usages };
  return await client.create(api.CERTIFICATESIGNINGREQUESTS, { metadata: { name: "web" }, spec });
}

async function decided(rig: GroupRig, type: "Approved" | "Denied", lastUpdateTime?: string): Promise<void> {
  const request = await signingRequest(rig, "kubernetes.io/kube-apiserver-client");
  const status = { conditions: [{ type, status: "True", lastUpdateTime }] };
  await rig.client.update(api.CERTIFICATESIGNINGREQUESTS, { ...request, status }, { subresource: "approval" });
}

/** One that was made a quarter of an hour before anybody looks. */
async function oldPodRequest(client: Client, { clock }: FakeWorld): Promise<void> {
  await client.create(api.PODCERTIFICATEREQUESTS, {
    metadata,
    spec: {
      signerName: "example.com/x",
      podName: "web",
      podUID: "1",
      serviceAccountName: "default",
      serviceAccountUID: "2",
      nodeName: "n",
      nodeUID: "3",
      maxExpirationSeconds: 3600,
      stubPKCS10Request: (await requestPem()).replace(/-----[^-]*-----|\s/g, ""),
    },
  });
  await clock.advance(15 * 60_000);
}

const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "gone", uid: "0" };
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

const FIRST_STEPS: Readonly<Record<string, FirstStep>> = {
  "deployment-controller": { given: (rig) => rig.create("web", 1), write: /^POST .*\/replicasets$/ },
  "replicaset-controller": {
    given: ({ client }) => client.create(api.REPLICASETS, { metadata, spec: { selector, template: always } }),
    write: /^POST .*\/pods$/,
  },
  "statefulset-controller": {
    given: ({ client }) =>
      client.create(api.STATEFULSETS, { metadata, spec: { selector, template: always, serviceName: "web" } }),
    write: /^POST .*\/pods$/,
  },
  "daemonset-controller": {
    given: ({ client }) => client.create(api.DAEMONSETS, { metadata, spec: { selector, template: always } }),
    write: /^POST .*\/pods$/,
  },
  "replicationcontroller-controller": {
    given: ({ client }) => client.create(api.REPLICATIONCONTROLLERS, { metadata, spec: { template: always } }),
    write: /^POST .*\/pods$/,
  },
  "job-controller": {
    given: ({ client }) => client.create(api.JOBS, { metadata, spec: { template: ownPod } }),
    write: /^POST .*\/pods$/,
  },
  "cronjob-controller": {
    given: ({ client }) =>
      client.create(api.CRONJOBS, {
        metadata,
        spec: { schedule: "* * * * *", jobTemplate: { spec: { template: ownPod } } },
      }),
    write: /^POST .*\/jobs$/,
  },
  "garbage-collector-controller": {
    given: ({ client }) => client.create(api.PODS, podOf({ ownerReferences: [owner] })),
    write: /^DELETE .*\/pods\/web$/,
  },
  "namespace-controller": {
    given: async ({ client }) => {
      await client.create(api.NAMESPACES, { metadata: { name: "gone" } });
      await client.delete(api.NAMESPACES, { name: "gone" });
    },
    write: /^PUT .*\/namespaces\/gone\/finalize$/,
  },
  "resourcequota-controller": {
    given: ({ client }) => client.create(api.RESOURCEQUOTAS, { metadata, spec: { hard: { pods: "1" } } }),
    write: /^PUT .*\/resourcequotas\/web\/status$/,
  },
  "serviceaccount-controller": { write: /^POST .*\/default\/serviceaccounts$/ },
  "root-ca-certificate-publisher-controller": { write: /^POST .*\/default\/configmaps$/ },
  "ttl-after-finished-controller": { given: finished, write: /^DELETE .*\/jobs\/web$/ },
  "pod-garbage-collector-controller": {
    given: failedPods,
    write: /^DELETE .*\/pods\/\w$/,
    flags: ["--terminated-pod-gc-threshold=1"],
  },
  "certificatesigningrequest-approving-controller": {
    given: (rig) => signingRequest(rig, "kubernetes.io/kube-apiserver-client-kubelet"),
    write: /^PUT .*\/certificatesigningrequests\/web\/approval$/,
  },
  "certificatesigningrequest-signing-controller": {
    given: (rig) => decided(rig, "Approved"),
    write: /^PUT .*\/certificatesigningrequests\/web\/status$/,
    flags: ["--cluster-signing-cert-file=c", "--cluster-signing-key-file=k"],
    files: AUTHORITY_FILES,
  },
  "certificatesigningrequest-cleaner-controller": {
    given: (rig) => decided(rig, "Denied", api.formatTime(rig.world.clock.wallMs() - 2 * 3_600_000)),
    isGivenBefore: true,
    write: /^DELETE .*\/certificatesigningrequests\/web$/,
  },
  "podcertificaterequest-cleaner-controller": {
    given: ({ client, world }) => oldPodRequest(client, world),
    isGivenBefore: true,
    write: /^DELETE .*\/podcertificaterequests\/web$/,
    flags: ["--feature-gates=PodCertificateRequest=true,AuthorizeNodeWithSelectors=true"],
  },
  "kube-apiserver-serving-clustertrustbundle-publisher-controller": {
    write: /^POST .*\/clustertrustbundles$/,
    flags: ["--feature-gates=ClusterTrustBundle=true"],
    files: { "root-ca-file": AUTHORITY.pem },
  },
  "disruption-controller": {
    given: ({ client }) => client.create(api.PODDISRUPTIONBUDGETS, { metadata, spec: { selector, minAvailable: 1 } }),
    write: /^PUT .*\/poddisruptionbudgets\/web\/status$/,
  },
  "horizontal-pod-autoscaler-controller": {
    given: ({ client }) =>
      client.create(api.HORIZONTALPODAUTOSCALERS, { metadata, spec: { scaleTargetRef, maxReplicas: 3 } }),
    write: /\/horizontalpodautoscalers\/web\/status$/,
  },
};

for (const { name } of CONTROLLERS) {
  Deno.test(`Group: ${name} alone becomes ready, and takes its first step`, async () => {
    const step = FIRST_STEPS[name];
    assert(step, `say in FIRST_STEPS what ${name} begins with`);
    const assignments = [{ name: "alone", controllers: [name] }];
    const file = (flag: string) => ({ text: step.files?.[flag] ?? "" });
    await using rig = new GroupRig({ assignments, flags: step.flags, file });
    await rig.supplies.read();
    // Pods of a namespace without one are refused.
    if (name !== "serviceaccount-controller") await rig.client.create(api.SERVICEACCOUNTS, DEFAULT_ACCOUNT);
    const given = step.given?.(rig);
    if (step.isGivenBefore) {
      await given;
      await rig.world.clock.advance(1000);
    }
    rig.groups.lead();
    await rig.world.clock.advance(1000);
    await given;
    assertEquals([rig.failures(), rig.controllerChecks.map((check) => [check.name, check.isNotReady?.()])], [[], [[
      name,
      undefined,
    ]]]);
    const own = () =>
      rig.writes.filter((each) => each.startsWith(`${clientNameOf(name)} `)).map((each) =>
        each.split(" ").slice(1).join(" ")
      );
    for (let i = 0; i < 40 && !own().some((write) => step.write.test(write)); i++) await rig.world.clock.advance(2000);
    assert(own().some((write) => step.write.test(write)), own().join("\n"));
  });
}

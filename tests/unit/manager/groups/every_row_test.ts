/** Every controller of the registry in a group of its own: what it needs reaches it there. */
import { assert, assertEquals } from "@std/assert";
import { generateKeyPairSync } from "node:crypto";
import * as api from "../../../../src/api/mod.ts";
import { clientNameOf, CONTROLLERS } from "../../../../src/controllers/mod.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import { kubelet, requestPem } from "../../../scenarios/request_pem.ts";
import { keyPem, testAuthority } from "../../controllers/certificates/signing_rig.ts";
import { CLOUD_CONTROLLER_MANAGER } from "../../../../src/manager/mod.ts";
import { objects } from "../../../../src/testkit/mod.ts";
import { FakeCloud } from "../../cloud/fake_cloud.ts";
import { GroupRig } from "./rig.ts";

/** Something to do for a controller, and the write that it begins with. */
interface FirstStep {
  readonly given?: (rig: GroupRig) => Promise<unknown>;
  /** Is over before the controller starts: it looks once, and not again for a long time. */
  readonly isGivenBefore?: boolean;
  readonly write: RegExp;
  readonly flags?: readonly string[];
  /** What the files hold that flags name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Of a controller that asks one. */
  cloud?(): FakeCloud;
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

const TOKEN = "kubernetes.io/service-account-token";
const NAMING = { "kubernetes.io/service-account.name": "default" };
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** A token that was made long ago, and was never used while that was noted. */
function unusedToken({ server }: GroupRig): Promise<unknown> {
  const creationTimestamp = "2020-01-01T00:00:00Z";
  server.storeUnchecked(api.SECRETS, {
    metadata: { ...metadata, annotations: NAMING, creationTimestamp, uid: "1" },
    type: TOKEN,
  });
  server.storeUnchecked(api.SERVICEACCOUNTS, {
    metadata: { name: "default", namespace: "default", uid: "2" },
    secrets: [{ name: "web" }],
  });
  server.storeUnchecked(api.CONFIGMAPS, {
    metadata: { name: "kube-apiserver-legacy-service-account-token-tracking", namespace: "kube-system", uid: "3" },
    data: { since: "2020-01-01" },
  });
  return Promise.resolve();
}

function bootstrapToken({ client }: GroupRig, expiration: string): Promise<unknown> {
  return client.create(api.SECRETS, {
    metadata: { name: "bootstrap-token-abc123", namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    stringData: { "token-id": "abc123", "token-secret": "x", "usage-bootstrap-signing": "true", expiration },
  });
}

async function unsignedInfo(rig: GroupRig): Promise<void> {
  const info = { metadata: { name: "cluster-info", namespace: "kube-public" }, data: { kubeconfig: "x" } };
  await rig.client.create(api.CONFIGMAPS, info);
  await bootstrapToken(rig, "");
}

async function aggregatedRole({ client }: GroupRig): Promise<void> {
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  await client.create(api.CLUSTERROLES, { metadata: { name: "part", labels: { app: "web" } }, rules });
  const clusterRoleSelectors = [{ matchLabels: { app: "web" } }];
  await client.create(api.CLUSTERROLES, {
    metadata: { name: "web" },
    rules: [],
    aggregationRule: { clusterRoleSelectors },
  });
}
const CLAIM_SPEC = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

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
  "serviceaccount-token-controller": {
    given: ({ client }) => client.create(api.SECRETS, { metadata: { ...metadata, annotations: NAMING }, type: TOKEN }),
    write: /^PUT .*\/secrets\/web$/,
    flags: ["--service-account-private-key-file=/sa.key"],
    files: { "service-account-private-key-file": privateKey.export({ format: "pem", type: "sec1" }) as string },
  },
  "legacy-serviceaccount-token-cleaner-controller": { given: unusedToken, write: /^PATCH .*\/secrets\/web$/ },
  "bootstrap-signer-controller": { given: unsignedInfo, write: /^PUT .*\/configmaps\/cluster-info$/ },
  "token-cleaner-controller": {
    given: (rig) => bootstrapToken(rig, "2020-01-01T00:00:00Z"),
    write: /^DELETE .*\/secrets\/bootstrap-token-abc123$/,
  },
  "clusterrole-aggregation-controller": { given: aggregatedRole, write: /^PATCH .*\/clusterroles\/web$/ },
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
  "endpointslice-controller": {
    given: ({ client }) =>
      client.create(api.SERVICES, { metadata, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
    write: /^POST .*\/endpointslices$/,
  },
  "endpointslice-mirroring-controller": {
    given: async ({ client }) => {
      await client.create(api.SERVICES, { metadata, spec: { ports: [{ port: 80 }] } });
      await client.create(api.ENDPOINTS, {
        metadata,
        subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }],
      });
    },
    write: /^POST .*\/endpointslices$/,
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
  "node-lifecycle-controller": {
    given: ({ client }) => client.create(api.NODES, { metadata: { name: "ill" }, spec: { unschedulable: true } }),
    write: /^PATCH .*\/nodes\/ill$/,
  },
  "taint-eviction-controller": {
    given: async ({ client }) => {
      const taints = [{ key: "example.com/k", effect: "NoExecute" }];
      await client.create(api.NODES, { metadata: { name: "ill" }, spec: { taints } });
      const pod = podOf({});
      await client.create(api.PODS, { ...pod, spec: { ...pod.spec!, nodeName: "ill" } });
    },
    write: /^DELETE .*\/pods\/web$/,
  },
  "validatingadmissionpolicy-status-controller": {
    given: ({ client }) =>
      client.create(api.VALIDATINGADMISSIONPOLICIES, {
        metadata: { name: "web" },
        spec: {
          matchConstraints: {
            resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["*"] }],
          },
          validations: [{ expression: "true" }],
        },
      }),
    write: /^PATCH .*\/validatingadmissionpolicies\/web\/status/,
  },
  "podgroup-protection-controller": {
    given: async ({ client }) => {
      await client.create(api.PODGROUPS, { metadata, spec: { schedulingPolicy: { basic: {} } } });
      await client.delete(api.PODGROUPS, metadata);
    },
    write: /^PUT .*\/podgroups\/web$/,
    flags: ["--feature-gates=GenericWorkload=true"],
  },
  "horizontal-pod-autoscaler-controller": {
    given: ({ client }) =>
      client.create(api.HORIZONTALPODAUTOSCALERS, { metadata, spec: { scaleTargetRef, maxReplicas: 3 } }),
    write: /\/horizontalpodautoscalers\/web\/status$/,
  },
  "persistentvolume-binder-controller": {
    given: ({ client }) =>
      client.create(api.PERSISTENTVOLUMES, {
        metadata: { name: "web" },
        spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/x" } },
      }),
    write: /^PUT .*\/persistentvolumes\/web\/status$/,
  },
  "persistentvolumeclaim-protection-controller": {
    given: async ({ client }) => {
      await client.create(api.PERSISTENTVOLUMECLAIMS, { metadata, spec: CLAIM_SPEC });
      await client.delete(api.PERSISTENTVOLUMECLAIMS, metadata);
    },
    write: /^PUT .*\/persistentvolumeclaims\/web$/,
  },
  "persistentvolume-protection-controller": {
    given: async ({ client }) => {
      const capacity = { storage: "1Gi" };
      const spec = { accessModes: ["ReadWriteOnce"], capacity, hostPath: { path: "/x" } };
      await client.create(api.PERSISTENTVOLUMES, { metadata: { name: "web" }, spec });
      await client.delete(api.PERSISTENTVOLUMES, { name: "web" });
    },
    write: /^PUT .*\/persistentvolumes\/web$/,
  },
  "persistentvolume-expander-controller": {
    given: async ({ client }) => {
      const { metadata: made } = await client.create(api.PERSISTENTVOLUMECLAIMS, {
        metadata,
        spec: { ...CLAIM_SPEC, volumeName: "web" },
      });
      const awsElasticBlockStore = { volumeID: "vol-1" };
      const claimRef = { ...metadata, uid: made?.uid };
      const spec = {
        ...CLAIM_SPEC,
        resources: undefined,
        capacity: { storage: "1Gi" },
        awsElasticBlockStore,
        claimRef,
      };
      await client.create(api.PERSISTENTVOLUMES, { metadata: { name: "web" }, spec });
      const status = { phase: "Bound", capacity: { storage: "512Mi" } };
      const patch = { type: "merge", body: { status }, subresource: "status" } as const;
      await client.patch(api.PERSISTENTVOLUMECLAIMS, metadata, patch);
    },
    write: /^PATCH .*\/persistentvolumeclaims\/web\/status$/,
  },
  "volumeattributesclass-protection-controller": {
    given: async ({ client }) => {
      const parameters = { iops: "1" };
      const volumeClass = { metadata: { name: "web" }, driverName: "csi.example.com", parameters };
      await client.create(api.VOLUMEATTRIBUTESCLASSES, volumeClass);
      await client.delete(api.VOLUMEATTRIBUTESCLASSES, { name: "web" });
    },
    write: /^PUT .*\/volumeattributesclasses\/web$/,
  },
  "ephemeral-volume-controller": {
    given: ({ client }) => {
      const pod = podOf({});
      const volumes = [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: CLAIM_SPEC } } }];
      return client.create(api.PODS, { ...pod, spec: { ...pod.spec!, volumes } });
    },
    write: /^POST .*\/persistentvolumeclaims$/,
  },
  "persistentvolume-attach-detach-controller": {
    given: async ({ client }) => {
      const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
      await client.create(api.NODES, { metadata: { name: "web", annotations } });
      const volumes = [{ name: "v", cinder: { volumeID: "x" } }];
      const pod = podOf({});
      await client.create(api.PODS, { ...pod, spec: { ...pod.spec!, nodeName: "web", volumes } });
    },
    write: /^POST .*\/volumeattachments$/,
  },
  "resourceclaim-controller": {
    given: async ({ client }) => {
      const requests = [{ name: "r", exactly: { deviceClassName: "gpu" } }];
      await client.create(api.RESOURCECLAIMTEMPLATES, { metadata, spec: { spec: { devices: { requests } } } });
      const pod = podOf({});
      const resourceClaims = [{ name: "c", resourceClaimTemplateName: "web" }];
      await client.create(api.PODS, { ...pod, spec: { ...pod.spec!, resourceClaims } });
    },
    write: /^POST .*\/resourceclaims$/,
  },
  "device-taint-eviction-controller": {
    given: async ({ client }) => {
      const [driver, pool, device] = ["gpu.example.com", "p", "d"];
      await client.create(api.RESOURCESLICES, {
        metadata: { name: "web" },
        spec: {
          driver,
          pool: { name: pool, generation: 1, resourceSliceCount: 1 },
          allNodes: true,
          devices: [{ name: device, taints: [{ key: "example.com/k", effect: "NoExecute" }] }],
        },
      });
      const requests = [{ name: "r", exactly: { deviceClassName: "gpu" } }];
      const claim = await client.create(api.RESOURCECLAIMS, { metadata, spec: { devices: { requests } } });
      const pod = podOf({});
      const resourceClaims = [{ name: "r", resourceClaimName: "web" }];
      const made = await client.create(api.PODS, { ...pod, spec: { ...pod.spec!, nodeName: "none", resourceClaims } });
      const allocation = { devices: { results: [{ request: "r", driver, pool, device }] } };
      const reservedFor = [{ resource: "pods", name: "web", uid: made.metadata!.uid! }];
      await client.updateStatus(api.RESOURCECLAIMS, { ...claim, status: { allocation, reservedFor } });
    },
    write: /^DELETE .*\/pods\/web$/,
  },
  "resourcepoolstatusrequest-controller": {
    given: ({ client }) =>
      client.create(api.RESOURCEPOOLSTATUSREQUESTS, { metadata: { name: "web" }, spec: { driver: "gpu.example.com" } }),
    write: /^PUT .*\/resourcepoolstatusrequests\/web\/status$/,
    flags: ["--feature-gates=DRAResourcePoolStatus=true"],
  },
  "selinux-warning-controller": {
    given: async ({ client }) => {
      for (const level of ["s0:c1,c2", "s0:c98,c99"]) {
        const pod = podOf({ name: level.slice(-1) });
        const containers = pod.spec!.containers.map((each) => ({
          ...each,
          volumeMounts: [{ name: "v", mountPath: "/v" }],
        }));
        const volumes = [{ name: "v", fc: { wwids: ["w"] } }];
        const securityContext = { seLinuxOptions: { level } };
        await client.create(api.PODS, { ...pod, spec: { ...pod.spec!, containers, volumes, securityContext } });
      }
    },
    write: /^POST .*\/events$/,
  },
  "endpoints-controller": {
    given: ({ client }) =>
      client.create(api.SERVICES, { metadata, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
    write: /^POST .*\/default\/endpoints$/,
  },
  "service-cidr-controller": { write: /^PATCH .*\/servicecidrs\/kubernetes$/ },
  "ttl-controller": {
    given: ({ client }) => client.create(api.NODES, { metadata: { name: "node" } }),
    write: /^PATCH .*\/nodes\/node$/,
  },
  "node-ipam-controller": {
    given: ({ client }) => client.create(api.NODES, { metadata: { name: "web" } }),
    write: /^PATCH .*\/nodes\/web$/,
    flags: ["--allocate-node-cidrs", "--cluster-cidr=10.244.0.0/16"],
  },
  "storageversion-garbage-collector-controller": {
    given: async ({ client }) => {
      const made = await client.create(api.STORAGEVERSIONS, { metadata: { name: "example.com.things" }, spec: {} });
      const entry = { apiServerID: "gone", encodingVersion: "v1", decodableVersions: ["v1"], servedVersions: ["v1"] };
      const status = { commonEncodingVersion: "v1", storageVersions: [entry] };
      await client.updateStatus(api.STORAGEVERSIONS, { ...made, status });
    },
    write: /^DELETE .*\/storageversions\/example.com.things$/,
    flags: ["--feature-gates=StorageVersionAPI=true"],
  },
  "storage-version-migrator-controller": {
    given: ({ client }) => {
      const resource = { group: "", resource: "configmaps" };
      return client.create(api.STORAGEVERSIONMIGRATIONS, { metadata: { name: "web" }, spec: { resource } });
    },
    write: /^PUT .*\/storageversionmigrations\/web\/status$/,
    flags: ["--feature-gates=StorageVersionMigrator=true"],
  },
  "service-lb-controller": {
    cloud: () => new FakeCloud(),
    given: ({ client }) =>
      client.create(api.SERVICES, { metadata, spec: { type: "LoadBalancer", ports: [{ port: 80 }] } }),
    write: /^PATCH .*\/services\/web(\/status)?$/,
  },
  "cloud-node-controller": {
    cloud: () => {
      const cloud = new FakeCloud();
      cloud.machines.set("web", { metadata: { providerID: "fake://web" } });
      return cloud;
    },
    given: ({ client }) => {
      const taint = { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" };
      return client.create(api.NODES, { metadata: { name: "web" }, spec: { taints: [taint] } });
    },
    write: /^(PATCH|PUT) .*\/nodes\/web(\/status)?$/,
  },
  "cloud-node-lifecycle-controller": {
    cloud: () => new FakeCloud(),
    given: async ({ client }) => {
      const node = await client.create(api.NODES, { metadata: { name: "web" } });
      const conditions = [{ type: "Ready", status: "Unknown" }];
      await client.updateStatus(api.NODES, { ...node, status: { ...node.status, conditions } });
    },
    write: /^DELETE .*\/nodes\/web$/,
  },
  "node-route-controller": {
    cloud: () => new FakeCloud(),
    given: ({ client }) =>
      client.create(api.NODES, {
        metadata: { name: "web" },
        spec: { podCIDR: "10.244.1.0/24", podCIDRs: ["10.244.1.0/24"] },
      }),
    write: /^PATCH .*\/nodes\/web\/status$/,
    flags: ["--cluster-cidr=10.244.0.0/16"],
  },
};

for (const { name } of CONTROLLERS) {
  // A sync that is cut short may still be signing, in a thread that no clock of a test waits for.
  const options = { sanitizeOps: false };
  Deno.test(`Group: ${name} alone becomes ready, and takes its first step`, options, async () => {
    const step = FIRST_STEPS[name];
    assert(step, `say in FIRST_STEPS what ${name} begins with`);
    const assignments = [{ name: "alone", controllers: [name] }];
    const file = (flag: string) => ({ text: step.files?.[flag] ?? "" });
    const cloud = step.cloud && {
      component: CLOUD_CONTROLLER_MANAGER,
      cloud: step.cloud().provider,
      flags: ["--cloud-provider=fake", ...step.flags ?? []],
    };
    await using rig = new GroupRig({ assignments, flags: step.flags, file, ...cloud });
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
    const isTaken = () => own().some((write) => step.write.test(write));
    // A signature takes real time, on a busy machine more of it than any number of rounds.
    const endMs = performance.now() + 60_000;
    while (!isTaken() && performance.now() < endMs) await rig.world.clock.advance(200);
    assert(isTaken(), own().join("\n"));
  });
}

import { assertEquals } from "@std/assert";
import type { PodSpec } from "../../../../../src/api/mod.ts";
import { container, readyHarness } from "./fixtures.ts";
import { DEPLOYMENTS, type Harness, type Loose, pod, PODS, STRATEGIC } from "../harness.ts";
import { policyOf } from "../../../../../src/sandbox/apiserver/admission/pod_security/policy.ts";
import { detailText, violations } from "../../../../../src/sandbox/apiserver/admission/pod_security/evaluate.ts";

const LABEL = "pod-security.kubernetes.io/";
const NAMESPACE = "/api/v1/namespaces/default";
const SAFE = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

const one = (securityContext: Loose, more: Loose = {}): Loose => ({
  containers: [{ name: "c", image: "nginx:1", securityContext, ...more }],
});

interface Row {
  readonly spec: Loose;
  readonly annotations?: Record<string, string>;
  readonly version?: string;
  /** What is wrong; absent where nothing is. */
  readonly why?: string;
}

const BASELINE: readonly Row[] = [
  { spec: one({}) },
  {
    spec: { ...one({ privileged: true }), initContainers: [{ name: "i", securityContext: { privileged: true } }] },
    why: 'privileged (containers "i", "c" must not set securityContext.privileged=true)',
  },
  { spec: { ...one({}), hostPID: true, hostIPC: true }, why: "host namespaces (hostPID=true, hostIPC=true)" },
  {
    spec: { ...one({}), volumes: [{ name: "v", hostPath: { path: "/" } }, { name: "w", emptyDir: {} }] },
    why: 'hostPath volumes (volume "v")',
  },
  {
    spec: one({}, { ports: [{ containerPort: 1, hostPort: 90 }, { containerPort: 2, hostPort: 100 }] }),
    why: 'hostPort (container "c" uses hostPorts 100, 90)',
  },
  {
    spec: one({ capabilities: { add: ["SYS_TIME", "CHOWN", "NET_ADMIN"] } }),
    why:
      'non-default capabilities (container "c" must not include "NET_ADMIN", "SYS_TIME" in securityContext.capabilities.add)',
  },
  {
    spec: { ...one({ seLinuxOptions: { role: "r" } }), securityContext: { seLinuxOptions: { type: "spc_t" } } },
    why: 'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: type "spc_t"; ' +
      "role may not be set)",
  },
  { spec: one({ seLinuxOptions: { type: "container_engine_t" } }) },
  {
    spec: one({ seLinuxOptions: { type: "container_engine_t" } }),
    version: "v1.30",
    why: 'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
  },
  {
    spec: one({ seccompProfile: { type: "Unconfined" } }),
    why: 'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
  },
  {
    spec: { ...one({}), securityContext: { appArmorProfile: { type: "Unconfined" } } },
    annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" },
    why: "forbidden AppArmor profiles (pod and annotation must not set AppArmor profile type to " +
      '"Unconfined", "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
  },
  {
    spec: { ...one({}), securityContext: { sysctls: [{ name: "kernel.msgmax" }, { name: "net.ipv4.tcp_rmem" }] } },
    why: "forbidden sysctls (kernel.msgmax)",
  },
  {
    spec: { ...one({}), securityContext: { sysctls: [{ name: "net.ipv4.tcp_rmem" }] } },
    version: "v1.31",
    why: "forbidden sysctls (net.ipv4.tcp_rmem)",
  },
  {
    spec: one({}, {
      readinessProbe: { tcpSocket: { port: 1, host: "h" } },
      lifecycle: { preStop: { httpGet: { port: 1 } } },
    }),
    why: 'probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
  },
  { spec: one({}, { readinessProbe: { tcpSocket: { port: 1, host: "h" } } }), version: "v1.33" },
  {
    spec: one({ procMount: "Unmasked" }),
    why: 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  },
  { spec: { ...one({ procMount: "Unmasked" }), hostUsers: false } },
  {
    spec: { ...one({}), securityContext: { windowsOptions: { hostProcess: true } } },
    why: "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
  },
];

const RESTRICTED: readonly Row[] = [
  { spec: one(SAFE) },
  {
    spec: one({}),
    why: 'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
      'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
      'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
      'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  },
  {
    spec: { ...one(SAFE), hostNetwork: true },
    why: "host namespaces (hostNetwork=true)",
  },
  {
    spec: one({ ...SAFE, capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE", "CHOWN"] } }),
    why: 'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add)',
  },
  {
    spec: {
      ...one(SAFE),
      volumes: [{ name: "v", hostPath: { path: "/" } }, { name: "w", nfs: { server: "s", path: "/" } }],
    },
    why: 'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
  },
  {
    spec: one({ ...SAFE, runAsNonRoot: false, runAsUser: 0 }),
    why: 'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false), ' +
      'runAsUser=0 (container "c" must not set runAsUser=0)',
  },
  { spec: { ...one({ ...SAFE, runAsNonRoot: undefined }), securityContext: { runAsNonRoot: true } } },
  { spec: { ...one({ ...SAFE, runAsNonRoot: false, runAsUser: 0 }), hostUsers: false } },
  { spec: one({ ...SAFE, runAsUser: 0 }), version: "v1.22" },
  {
    spec: one({ ...SAFE, seccompProfile: { type: "Unconfined" } }),
    why: 'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
  },
  { spec: { ...one({ runAsNonRoot: true }), os: { name: "windows" } } },
];

for (const [level, rows] of [["baseline", BASELINE], ["restricted", RESTRICTED]] as const) {
  for (const { spec, annotations, version = "latest", why = "" } of rows) {
    Deno.test(`violations of ${level}:${version} by ${JSON.stringify(spec)}`, () => {
      const found = violations({ metadata: { annotations }, spec: spec as PodSpec }, { level, version });
      assertEquals(detailText(found), why);
    });
  }
}

const LABELS: readonly (readonly [labels: Record<string, string>, enforce: string, warn: string])[] = [
  [{}, "privileged:latest", "privileged:latest"],
  [{ enforce: "baseline" }, "baseline:latest", "baseline:latest"],
  [{ enforce: "baseline", "enforce-version": "v1.30" }, "baseline:v1.30", "baseline:v1.30"],
  [{ enforce: "restricted", "warn-version": "v1.31" }, "restricted:latest", "restricted:v1.31"],
  [{ enforce: "baseline", warn: "restricted" }, "baseline:latest", "restricted:latest"],
  [{ enforce: "baseline", warn: "privileged" }, "baseline:latest", "privileged:latest"],
  [{ enforce: "nonsense" }, "restricted:latest", "privileged:latest"],
  [{ warn: "nonsense", "warn-version": "1" }, "privileged:latest", "privileged:latest"],
];

for (const [labels, enforce, warn] of LABELS) {
  Deno.test(`policyOf ${JSON.stringify(labels)} is ${enforce}, warning of ${warn}`, () => {
    const prefixed = Object.fromEntries(Object.entries(labels).map(([key, value]) => [LABEL + key, value]));
    const policy = policyOf(prefixed);
    assertEquals(`${policy.enforce.level}:${policy.enforce.version}`, enforce);
    assertEquals(`${policy.warn.level}:${policy.warn.version}`, warn);
  });
}

async function label(api: Harness, labels: Record<string, string>) {
  const prefixed = Object.fromEntries(Object.entries(labels).map(([key, value]) => [LABEL + key, value]));
  return await api.patch(NAMESPACE, { metadata: { labels: prefixed } });
}

Deno.test("PodSecurity refuses what the namespace enforces, and warns of what it warns of", async () => {
  using api = await readyHarness();
  await label(api, { enforce: "baseline", warn: "restricted" });
  const refused = await api.post(PODS, pod("a", one({ privileged: true })));
  assertEquals(refused.status, 403);
  assertEquals(
    refused.body.message,
    'pods "a" is forbidden: violates PodSecurity "baseline:latest": privileged (container "c" must not set ' +
      "securityContext.privileged=true)",
  );
  const warned = await api.post(PODS, pod("a"));
  assertEquals(warned.status, 201);
  assertEquals(
    warned.headers.get("warning")?.startsWith('299 - "would violate PodSecurity \\"restricted:latest\\": '),
    true,
  );
  assertEquals((await api.post(PODS, pod("b", one(SAFE)))).headers.get("warning"), null);
});

Deno.test("PodSecurity only warns of templates", async () => {
  using api = await readyHarness();
  await label(api, { enforce: "baseline" });
  const { status, headers } = await api.post(DEPLOYMENTS, {
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: one({ privileged: true }) },
    },
  });
  assertEquals(status, 201);
  assertEquals(
    headers.get("warning"),
    '299 - "would violate PodSecurity \\"baseline:latest\\": privileged (container \\"c\\" must not set ' +
      'securityContext.privileged=true)"',
  );
});

Deno.test("PodSecurity lets a pod be updated that is over the level, but not run another image", async () => {
  using api = await readyHarness();
  await api.post(PODS, pod("a", one({ privileged: true })));
  await label(api, { enforce: "baseline" });
  assertEquals((await api.patch(`${PODS}/a`, { metadata: { labels: { a: "b" } } })).status, 200);
  const image = { spec: { containers: [{ name: "c", image: "nginx:2" }] } };
  assertEquals((await api.patch(`${PODS}/a`, image, STRATEGIC)).status, 403);
  const ephemeral = { spec: { ephemeralContainers: [container({}, "e")] } };
  assertEquals((await api.patch(`${PODS}/a/ephemeralcontainers`, ephemeral)).status, 403);
});

Deno.test("PodSecurity names the pods that a stricter level would not let in", async () => {
  using api = await readyHarness();
  for (const name of ["b", "a", "c"]) await api.post(PODS, pod(name, one({ privileged: true })));
  await api.post(PODS, pod("d", { hostNetwork: true }));
  await api.post(PODS, pod("e"));
  const { headers } = await label(api, { enforce: "baseline" });
  assertEquals(headers.get("warning")?.split(", 299").map((text) => text.replace(/^[ 0-9-]*"(.*)"$/, "$1")), [
    'existing pods in namespace \\"default\\" violate the new PodSecurity enforce level \\"baseline:latest\\"',
    "a (and 2 other pods): privileged",
    "d: host namespaces",
  ]);
  assertEquals((await label(api, { enforce: "privileged" })).headers.get("warning"), null);
});

Deno.test("PodSecurity refuses labels that make no sense", async () => {
  using api = await readyHarness();
  const { status, body } = await label(api, { enforce: "strict", "audit-version": "1.3" });
  assertEquals(status, 422);
  assertEquals(body.details.causes.map(({ field, message }: Loose) => `${field}: ${message}`), [
    `metadata.labels[${LABEL}enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted`,
    `metadata.labels[${LABEL}audit-version]: Invalid value: "1.3": must be "latest" or "v1.x"`,
  ]);
  assertEquals((await label(api, { enforce: "baseline", "enforce-version": "v1.30" })).status, 200);
});

/** Quotas that come, go and overlap, in namespaces that do. */
import {
  CONFIGMAPS,
  JOBS,
  LEASES,
  NAMESPACES,
  PERSISTENTVOLUMECLAIMS,
  PODS,
  RESOURCEQUOTAS,
  ROLES,
  RUNTIMECLASSES,
} from "../../src/api/mod.ts";
import { job } from "./job_kit.ts";
import { claim, limit, pod, untilCounted, untilCountIsSeen, untilUsed } from "./quota_kit.ts";
import type { Scenario } from "./scenario.ts";

/** Keeps a pod from every node, so that nobody but the scenario writes its status. */
const NOWHERE = { nodeSelector: { "example.com/none": "none" } };

const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

export const QUOTA_LIFE_SCENARIOS: readonly Scenario[] = [
  {
    name: "quota-beside-another",
    run: async (kit) => {
      await limit(kit, { hard: { pods: "9", configmaps: "9" } });
      await limit(kit, { hard: { configmaps: "5", "requests.cpu": "1" } }, "b");
      await kit.create(CONFIGMAPS, configMap("x"));
      await kit.create(PODS, pod("p", { spec: { ...NOWHERE, ...asked("100m") } }));
      await untilCountIsSeen(kit, { pods: "1", configmaps: "2" });
      await untilCountIsSeen(kit, { configmaps: "2", "requests.cpu": "100m" }, "b");
      await kit.delete(CONFIGMAPS, "x");
      await untilUsed(kit, { pods: "1", configmaps: "1" });
      await untilUsed(kit, { configmaps: "1", "requests.cpu": "100m" }, "b");
    },
  },
  {
    name: "quota-made-again",
    run: async (kit) => {
      await limit(kit, { hard: { configmaps: "9" } });
      await kit.create(CONFIGMAPS, configMap("x"));
      await kit.delete(RESOURCEQUOTAS, "a");
      await kit.untilGone(RESOURCEQUOTAS, "a");
      await kit.create(CONFIGMAPS, configMap("y"));
      await limit(kit, { hard: { configmaps: "2" } });
      await untilCounted(kit, { configmaps: "3" });
    },
  },
  {
    name: "quota-in-a-terminating-namespace",
    run: async (kit) => {
      await limit(kit, { hard: { pods: "2", configmaps: "9" } });
      await kit.create(PODS, pod("p"));
      await kit.client.delete(NAMESPACES, { name: kit.namespace });
      await kit.untilGone(NAMESPACES, kit.namespace);
    },
  },
  {
    name: "quota-of-many-kinds",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { suspend: true }));
      await kit.create(ROLES, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: "r" },
        rules: [],
      });
      await kit.create(LEASES, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" } });
      const used = {
        "count/jobs.batch": "1",
        "count/roles.rbac.authorization.k8s.io": "1",
        "count/leases.coordination.k8s.io": "1",
        "count/serviceaccounts": "1",
        "count/resourcequotas": "1",
        "count/pods": "0",
        "count/events": "0",
        "count/poddisruptionbudgets.policy": "0",
      };
      const { "count/events": _nobodyCounts, ...known } = used;
      await limit(kit, { hard: used });
      await untilCounted(kit, known);
      await kit.delete(LEASES, "l");
      await untilUsed(kit, { ...known, "count/leases.coordination.k8s.io": "0" });
    },
  },
  {
    name: "quota-overhead",
    run: async (kit) => {
      const runtimeClassName = `${kit.namespace}-kata`;
      await kit.create(RUNTIMECLASSES, {
        apiVersion: "node.k8s.io/v1",
        kind: "RuntimeClass",
        metadata: { name: runtimeClassName },
        handler: "kata",
        overhead: { podFixed: { cpu: "10m", memory: "16Mi" } },
      });
      await kit.create(PODS, pod("p", { spec: { ...NOWHERE, ...asked("100m", "200m"), runtimeClassName } }));
      await limit(kit, {
        hard: { "requests.cpu": "1", "limits.cpu": "1", "requests.memory": "1Gi", "limits.memory": "1Gi" },
      });
      await untilCounted(kit, {
        "requests.cpu": "110m",
        "limits.cpu": "210m",
        "requests.memory": "16Mi",
        "limits.memory": "0",
      });
    },
  },
  {
    name: "quota-of-what-runs",
    run: async (kit) => {
      await limit(kit, { hard: { "requests.cpu": "2" } });
      await kit.create(PODS, pod("p", { spec: { ...NOWHERE, ...asked("200m") } }));
      for (const cpu of ["500m", "700m"]) {
        const status = { name: "c", image: "nginx:1", imageID: "", ready: false, restartCount: 0 };
        const containerStatuses = [{
          ...status,
          resources: { requests: { cpu } },
          allocatedResources: { cpu: "100m" },
        }];
        await kit.merge(PODS, "p", { status: { containerStatuses } }, "status");
      }
      await untilUsed(kit, { "requests.cpu": "700m" });
      const conditions = [{ type: "PodResizePending", reason: "Infeasible", status: "True" }];
      const phase = "Failed";
      await kit.merge(PODS, "p", { status: { conditions, phase } }, "status");
      await untilUsed(kit, { "requests.cpu": "0" });
    },
  },
  {
    name: "quota-scope-of-volume-attributes",
    run: async (kit) => {
      const of = (operator: string, values?: string[]) => ({
        scopeSelector: { matchExpressions: [{ scopeName: "VolumeAttributesClass", operator, values }] },
      });
      const hard = { "requests.storage": "1Ti", persistentvolumeclaims: "9" };
      await limit(kit, { hard, ...of("In", ["fast"]) });
      await limit(kit, { hard, ...of("DoesNotExist") }, "b");
      await limit(kit, { hard, ...of("Exists") }, "c");
      const fast = claim("x", "1Gi");
      await kit.create(PERSISTENTVOLUMECLAIMS, { ...fast, spec: { ...fast.spec, volumeAttributesClassName: "fast" } });
      await kit.create(PERSISTENTVOLUMECLAIMS, claim("y", "2Gi"));
      await untilCountIsSeen(kit, { "requests.storage": "1Gi", persistentvolumeclaims: "1" });
      await untilCountIsSeen(kit, { "requests.storage": "2Gi", persistentvolumeclaims: "1" }, "b");
      await untilCountIsSeen(kit, { "requests.storage": "1Gi", persistentvolumeclaims: "1" }, "c");
      await kit.merge(PERSISTENTVOLUMECLAIMS, "y", { status: { currentVolumeAttributesClassName: "fast" } }, "status");
      await untilUsed(kit, { "requests.storage": "3Gi", persistentvolumeclaims: "2" });
      await untilUsed(kit, { "requests.storage": "0", persistentvolumeclaims: "0" }, "b");
    },
  },
];

/** A container that asks for so much processor, and may take so much. */
function asked(cpu: string, limit?: string) {
  const resources = { requests: { cpu }, limits: limit ? { cpu: limit } : undefined };
  return { containers: [{ name: "c", image: "nginx:1", resources }] };
}

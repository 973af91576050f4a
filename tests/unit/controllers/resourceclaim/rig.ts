import { LruMap, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  type Pod,
  type PodGroup,
  PODGROUPS,
  PODS,
  type ResourceClaimConsumerReference,
  RESOURCECLAIMS,
  type ResourceClaimTemplate,
  RESOURCECLAIMTEMPLATES,
  type ResourceV1ResourceClaim,
} from "../../../../src/api/mod.ts";
import { type Indexer, Lister } from "../../../../src/cache/mod.ts";
import type { ClaimContext } from "../../../../src/controllers/resourceclaim/context.ts";
import { CreatedClaims } from "../../../../src/controllers/resourceclaim/created_claims.ts";
import { addIndexes } from "../../../../src/controllers/resourceclaim/indexes.ts";
import { claimMetrics, CREATES } from "../../../../src/controllers/resourceclaim/metrics.ts";
import { GROUP_CLAIMS_GATE } from "../../../../src/controllers/device_claims/mod.ts";
import { syncClaim } from "../../../../src/controllers/resourceclaim/sync_claim.ts";
import { syncGroup } from "../../../../src/controllers/resourceclaim/sync_group.ts";
import { syncPod } from "../../../../src/controllers/resourceclaim/sync_pod.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { ServerRig } from "../server_rig.ts";

export const AT = "2026-01-01T00:00:00Z";
export const KEEPER = "resource.kubernetes.io/delete-protection";
export const POD_CLAIM = "resource.kubernetes.io/pod-claim-name";
const SPEC = {
  devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 } }] },
};
export const ALLOCATION = {
  devices: { results: [{ request: "r", driver: "gpu.example.com", pool: "p", device: "d" }] },
};

type PodClaims = NonNullable<Pod["spec"]>["resourceClaims"];

export interface PodTraits {
  readonly metadata?: Pod["metadata"];
  readonly claims?: PodClaims;
  readonly nodeName?: string;
  readonly group?: string;
  readonly status?: Pod["status"];
}

export const fromTemplate = (name: string, resourceClaimTemplateName = "t") => ({ name, resourceClaimTemplateName });
export const byName = (name: string) => ({ name, resourceClaimName: name });

/** The pod `a/p`, which asks for the claim `x` from the template `t`. */
export function pod({ metadata, claims = [fromTemplate("x")], nodeName, group, status }: PodTraits = {}): Pod {
  return {
    metadata: { namespace: "a", name: "p", uid: "p", ...metadata },
    spec: {
      containers: [{ name: "c", image: "nginx" }],
      restartPolicy: "Always",
      dnsPolicy: "ClusterFirst",
      terminationGracePeriodSeconds: 30,
      nodeName,
      resourceClaims: claims,
      schedulingGroup: group ? { podGroupName: group } : undefined,
    },
    status: { phase: "Pending", ...status },
  };
}

/** The group `a/g`, whose pods share the claim `x` from the template `t`. */
export function group(
  metadata: PodGroup["metadata"] = {},
  { claims = [fromTemplate("x")], status }: Pick<PodTraits, "claims"> & { readonly status?: PodGroup["status"] } = {},
): PodGroup {
  return {
    metadata: { namespace: "a", name: "g", uid: "g", ...metadata },
    spec: { schedulingPolicy: { basic: {} }, resourceClaims: claims },
    status,
  };
}

/** The status of a pod whose claims are called so; `null` says that it needs none. */
export function named(
  names: Readonly<Record<string, string | null>>,
): Pick<NonNullable<PodGroup["status"]>, "resourceClaimStatuses"> {
  return {
    resourceClaimStatuses: Object.entries(names).map(([name, claim]) =>
      claim ? { name, resourceClaimName: claim } : { name }
    ),
  };
}

export const consumer = (name: string, uid = name): ResourceClaimConsumerReference => ({ resource: "pods", name, uid });

/** What makes a claim one of the pod's. */
export function ownedBy(podName: string, podClaimName = "x"): ResourceV1ResourceClaim["metadata"] {
  return {
    annotations: { [POD_CLAIM]: podClaimName },
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: podName, uid: podName, controller: true }],
  };
}

/** What makes a claim one of the group's. */
export function ownedByGroup(name: string, podClaimName = "x"): ResourceV1ResourceClaim["metadata"] {
  const owner = { apiVersion: "scheduling.k8s.io/v1alpha2", kind: "PodGroup", name, uid: name, controller: true };
  return { annotations: { [POD_CLAIM]: podClaimName }, ownerReferences: [owner] };
}

/** A claim in the namespace `a`. */
export function claim(
  name: string,
  metadata: ResourceV1ResourceClaim["metadata"] = {},
  status: ResourceV1ResourceClaim["status"] = {},
): ResourceV1ResourceClaim {
  return { metadata: { namespace: "a", name, uid: `uid-${name}`, ...metadata }, spec: SPEC, status };
}

export function template(name = "t", spec: ResourceClaimTemplate["spec"] = { spec: SPEC }): ResourceClaimTemplate {
  return { metadata: { namespace: "a", name }, spec };
}

export class ClaimRig {
  readonly server = new ServerRig({
    managedFields: true,
    featureGates: { GenericWorkload: true, [GROUP_CLAIMS_GATE]: true },
  });
  readonly pods = this.server.cache<Pod>();
  readonly claims = this.server.cache<ResourceV1ResourceClaim>();
  readonly templates = this.server.cache<ResourceClaimTemplate>();
  readonly recorder = new FakeRecorder();
  readonly created = new CreatedClaims(this.server.world.clock, this.claims);
  readonly gone = new LruMap<string, true>(500);
  /** Where groups of pods count. */
  readonly groups: Indexer<PodGroup> | undefined;
  readonly gates = new Set(["DRAAdminAccess", "DRAPrioritizedList"]);
  readonly #registry = new MetricsRegistry();
  readonly #signal = new AbortController().signal;

  constructor({ withGroups = false } = {}) {
    this.groups = withGroups ? this.server.cache<PodGroup>() : undefined;
    addIndexes({ pods: this.pods, groups: this.groups, claims: this.claims });
  }

  /** Puts objects on the server, where caches do not show them. */
  store(objects: {
    readonly pods?: Pod[];
    readonly claims?: ResourceV1ResourceClaim[];
    readonly templates?: ResourceClaimTemplate[];
    readonly groups?: PodGroup[];
  }): this {
    this.server.store(PODS, ...objects.pods ?? []);
    this.server.store(RESOURCECLAIMS, ...objects.claims ?? []);
    this.server.store(RESOURCECLAIMTEMPLATES, ...objects.templates ?? []);
    this.server.store(PODGROUPS, ...objects.groups ?? []);
    return this;
  }

  /** Lets the caches show what the server has. */
  show(): this {
    this.server.show(PODS, this.pods);
    this.server.show(RESOURCECLAIMS, this.claims);
    this.server.show(RESOURCECLAIMTEMPLATES, this.templates);
    if (this.groups) this.server.show(PODGROUPS, this.groups);
    return this;
  }

  get #context(): ClaimContext {
    const { world, client } = this.server;
    return {
      world,
      client,
      recorder: this.recorder,
      pods: this.pods,
      claims: new Lister(this.claims),
      groups: this.groups,
      templates: new Lister(this.templates),
      created: this.created,
      gone: this.gone,
      metrics: claimMetrics(this.#registry),
      gates: this.gates,
    };
  }

  /** @returns The requests that it made. */
  async syncPod(key = "a/p"): Promise<string[]> {
    const from = this.server.calls.length;
    await syncPod(key, this.#context, this.#signal);
    return this.server.calls.slice(from);
  }

  /** @returns The requests that it made. */
  async syncGroup(key = "a/g"): Promise<string[]> {
    const from = this.server.calls.length;
    await syncGroup(key, this.#context, this.#signal);
    return this.server.calls.slice(from);
  }

  /** @returns The requests that it made. */
  async syncClaim(key = "a/c"): Promise<string[]> {
    const from = this.server.calls.length;
    await syncClaim(key, this.#context, this.#signal);
    return this.server.calls.slice(from);
  }

  pod(key = "a/p"): Pod {
    return this.server.find(PODS, key)!;
  }

  group(key = "a/g"): PodGroup {
    return this.server.find(PODGROUPS, key)!;
  }

  claim(key = "a/c"): ResourceV1ResourceClaim | undefined {
    return this.server.find(RESOURCECLAIMS, key);
  }

  get allClaims(): ResourceV1ResourceClaim[] {
    return this.server.all(RESOURCECLAIMS);
  }

  creates(status: string, adminAccess = "false"): number {
    return this.#registry.counter({ name: CREATES, help: "", labels: [] }).value([status, adminAccess]);
  }
}

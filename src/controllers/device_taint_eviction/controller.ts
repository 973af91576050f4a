import { DEVICETAINTRULES, PODS, RESOURCECLAIMS, RESOURCESLICES } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { GROUP_CLAIMS_GATE, indexPodsByGroup } from "../device_claims/mod.ts";
import { EvictionMetrics } from "../evictions/mod.ts";
import { WakingTime } from "../nodes/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import { NAME } from "./actions.ts";
import type { DeviceEvictionContext, HandlerContext } from "./context.ts";
import { EvictingRules } from "./evicting_rules.ts";
import { claimHandler, podHandler, ruleHandler, sliceHandler } from "./handlers.ts";
import { ALL_CLAIMS, CHANGED_DEVICES, POD_ITEM, RULE_ITEM } from "./items.ts";
import { syncRule } from "./rule_status.ts";
import { syncAllClaims, syncChangedDevices } from "./sync_devices.ts";
import { syncPod } from "./sync_pod.ts";
import { TaintedDevices } from "./tainted_devices.ts";
import { indexClaimsByDevice } from "./users.ts";

export const METRICS = {
  prefix: "device_taint_eviction_controller",
  controller: "DeviceTaintEvictionController",
  between: "a device taint effect has been activated and a Pod's deletion",
};
const RULES_GATE = "DRADeviceTaintRules";
const READ_OF_PODS = [
  "spec.nodeName",
  "spec.resourceClaims",
  "spec.schedulingGroup.podGroupName",
  "status.resourceClaimStatuses",
];
const READ_OF_CLAIMS = ["status.allocation.devices.results", "status.reservedFor"];
const READ_OF_SLICES = ["spec.driver", "spec.pool", "spec.devices.name", "spec.devices.taints"];

export function buildDeviceTaintEviction(
  context: ControllerContext,
  { workers }: { readonly workers: number },
): Controller {
  const { world, metrics, informers, journal, gates } = context;
  const withGroups = gates.has(GROUP_CLAIMS_GATE);
  const pods = informers.informer(PODS, READ_OF_PODS);
  const claims = informers.informer(RESOURCECLAIMS, READ_OF_CLAIMS);
  const slices = informers.informer(RESOURCESLICES, READ_OF_SLICES);
  const ruleInformer = gates.has(RULES_GATE) ? informers.informer(DEVICETAINTRULES) : undefined;
  indexClaimsByDevice(claims);
  if (withGroups) indexPodsByGroup(pods);

  const queue = new WorkQueue({ world, name: NAME, metrics });
  const time = new WakingTime(world.clock);
  const common = {
    devices: new TaintedDevices(),
    rules: new EvictingRules(),
    changed: new Set<string>(),
    evictedBy: new Map<string, number>(),
    withGroups,
    queue,
  };
  const handling: HandlerContext = { ...common, pods: pods.indexer };
  const working: DeviceEvictionContext = {
    ...common,
    world,
    client: context.clients.client(NAME),
    recorder: context.recorder(NAME, NAME),
    metrics: new EvictionMetrics(metrics, METRICS),
    time,
    pods: pods.lister,
    podIndexer: pods.indexer,
    claims: claims.lister,
    claimIndexer: claims.indexer,
    slices: slices.lister,
    ruleLister: ruleInformer?.lister ?? { get: () => undefined },
    standings: new Map(),
  };
  const caches = [
    pods.addEventHandler(podHandler(handling)),
    claims.addEventHandler(claimHandler(handling)),
    slices.addEventHandler(sliceHandler(handling)),
    ...ruleInformer ? [ruleInformer.addEventHandler(ruleHandler(handling))] : [],
  ];
  const deciding = queueController({
    name: NAME,
    world,
    journal,
    queue,
    caches,
    workers,
    sync: (item, { causes }) => {
      if (item === CHANGED_DEVICES) return syncChangedDevices(working, causes);
      if (item === ALL_CLAIMS) return syncAllClaims(working, causes);
      if (item.startsWith(RULE_ITEM)) return syncRule(item.slice(RULE_ITEM.length), working);
      return syncPod(item.slice(POD_ITEM.length), working);
    },
  });
  return { run: async (signal) => void await Promise.all([time.run(signal), deciding.run(signal)]) };
}

import { CLUSTER_RANGES, defineController } from "../running/mod.ts";
import { buildNodeIpam, CLIENT_NAME, NAME, QUEUE } from "./controller.ts";
import { METRICS } from "./metrics.ts";

const SHARED = { section: "generic" } as const;

/** Gives each node a range of pod addresses. Upstream: `pkg/controller/nodeipam`. */
export const NODE_IPAM_CONTROLLER = defineController({
  name: NAME,
  aliases: ["nodeipam"],
  clientName: CLIENT_NAME,
  hosts: ["kube-controller-manager", "cloud-controller-manager"],
  group: "workloads",
  queues: [QUEUE],
  options: {
    allocates: {
      ...SHARED,
      flag: "allocate-node-cidrs",
      type: "bool",
      default: false,
      help: "Assign each node a range of pod addresses; requires --cluster-cidr",
      configz: "KubeCloudShared.AllocateNodeCIDRs",
    },
    clusterRanges: CLUSTER_RANGES,
    allocator: {
      ...SHARED,
      flag: "cidr-allocator-type",
      type: "string",
      default: "RangeAllocator",
      help: "How nodes get their ranges: RangeAllocator",
      configz: "KubeCloudShared.CIDRAllocatorType",
    },
    serviceRanges: {
      flag: "service-cluster-ip-range",
      type: "string",
      default: "",
      help: "Ranges of Service addresses, at most two; no node gets a part of them",
      configz: "NodeIPAMController.ServiceCIDR",
      objection: (ranges: string, flag: string) =>
        ranges.split(",").length > 2 ? `--${flag} can not contain more than two entries` : undefined,
    },
    secondaryRange: { fixed: "", configz: "NodeIPAMController.SecondaryServiceCIDR" },
    nodeCidrMaskSize: {
      flag: "node-cidr-mask-size",
      type: "int32",
      default: 0,
      help: "Prefix length of a node's range; 0 means 24 for IPv4 and 64 for IPv6",
      configz: "NodeIPAMController.NodeCIDRMaskSize",
    },
    nodeCidrMaskSizeIpv4: {
      flag: "node-cidr-mask-size-ipv4",
      type: "int32",
      default: 0,
      help: "Prefix length of a node's IPv4 range in a dual-stack cluster; 0 means 24",
      configz: "NodeIPAMController.NodeCIDRMaskSizeIPv4",
    },
    nodeCidrMaskSizeIpv6: {
      flag: "node-cidr-mask-size-ipv6",
      type: "int32",
      default: 0,
      help: "Prefix length of a node's IPv6 range in a dual-stack cluster; 0 means 64",
      configz: "NodeIPAMController.NodeCIDRMaskSizeIPv6",
    },
  },
  // Upstream's cloud-controller-manager accepts any where it does not allocate.
  objections: ({ allocator }, { program }) =>
    program === "cloud-controller-manager" || ["", "RangeAllocator"].includes(allocator) ? [] : [
      `built-in cloud providers are disabled. The ipam ${allocator} is not available: --cidr-allocator-type takes RangeAllocator`,
    ],
  metrics: METRICS,
  build: buildNodeIpam,
});
